// How a request's cookies are read: only what a browser holds to the rules of its name counts as that name.
import type { Context } from "hono";
import { expect, test } from "vitest";
import { readCookies } from "../../../workers/api/auth/browsers/cookie-text.ts";

const NAME = "__Host-talaria";
const read = (cookie: string) => readCookies({ req: { header: () => cookie } } as unknown as Context, NAME);

test("a cookie is read whatever stands around it, and each of two of one name", () => {
  expect(read(`a=1;${NAME}=x; b=2`)).toEqual(["x"]);
  expect(read(` \t${NAME}=x \t;${NAME}=y`)).toEqual(["x", "y"]);
  expect(read(`talaria=x; x${NAME}=y`)).toEqual([]);
});

test.each(["\u00a0", "\u2000", "\u3000", "\ufeff", "\u2028", "\v"])(
  "a name that begins with the space %j is another name: another host may set it",
  (space) => {
    expect(read(`${space}${NAME}=tossed`)).toEqual([]);
    expect(read(`${NAME}=own; ${space}${NAME}=tossed`)).toEqual(["own"]);
  },
);
