import { expect, test } from "vitest";
import * as z from "zod";
import { secret, serverUrl, setting, toForm } from "../../../channels/support/fields.ts";

const Fields = z.strictObject({
  token: secret("From there."),
  url: serverUrl("The server."),
  name: setting("Its name.").optional(),
});

test("the form is that of the schema", () => {
  expect(toForm(Fields)).toEqual([
    { name: "token", help: "From there.", secret: true, required: true },
    { name: "url", help: "The server.", secret: false, required: true },
    { name: "name", help: "Its name.", secret: false, required: false },
  ]);
});

test("values are trimmed, and refused where they cannot be sent", () => {
  expect(Fields.parse({ token: " t ", url: " https://a.test/x/ " })).toEqual({ token: "t", url: "https://a.test/x" });
  const refused = [
    { token: "" },
    { token: "a\nb" },
    { token: "x".repeat(4_001) },
    { url: "ftp://a.test" },
    { url: "a" },
    { more: 1 },
  ];
  for (const wrong of refused)
    expect(Fields.safeParse({ token: "t", url: "https://a.test", ...wrong }).success).toBe(false);
});
