// The forms of channels and MCP servers: what is read of a text, and what is shown of fields.
import { describe, expect, it } from "vitest";
import { readKnown, toWords } from "../../dashboard/channels/channel-fields.tsx";
import { describeTest } from "../../dashboard/channels/channel-page.tsx";
import { readLines } from "../../dashboard/components/read-fields.ts";

describe("readLines", () => {
  it("reads names and values, and keeps colons in a value", () => {
    expect(readLines("Authorization: Bearer a:b\n\nX-Key:1\n")).toEqual({
      pairs: { Authorization: "Bearer a:b", "X-Key": "1" },
    });
  });

  it.each(["no colon", " : nothing"])("says that %j is no header, and drops nothing in silence", (line) => {
    expect(readLines(`A: 1\n${line}`).bad).toBe(line.trim());
  });
});

describe("channel fields", () => {
  const form = [
    { name: "botToken", help: "", secret: true, required: true },
    { name: "host", help: "", secret: false, required: true },
  ];

  it("never shows a secret, not even one that the server would send", () => {
    expect(readKnown(form, { botToken: "xoxb-secret", host: "h" })).toEqual({ botToken: "", host: "h" });
  });

  it("names a field in words", () => {
    expect(toWords("webhookSecret")).toBe("Webhook secret");
    expect(toWords("token")).toBe("Token");
  });
});

describe("describeTest", () => {
  const tested = { verified: true, self: { id: "1", name: "ada_bot" }, registered: true, sent: null, error: null };

  it("says whether the platform knows the bot and the address", () => {
    expect(describeTest(tested)).toBe("Connected as ada_bot.");
    expect(describeTest({ ...tested, registered: false })).toContain("does not know the address");
    expect(describeTest({ ...tested, verified: false })).toContain("not confirmed");
    expect(describeTest({ ...tested, error: { at: 1, code: "x", message: "The token is wrong." } })).toBe(
      "The token is wrong.",
    );
  });
});
