// Destinations in a text, in any spelling.
import { describe, expect, it } from "vitest";
import {
  containsDestination,
  toLocalNumber,
  destinationsIn,
  toSearchable,
} from "../../../core/learning/taint/destinations.ts";

function texts(text: string, kind: string): string[] {
  return destinationsIn(text).flatMap((lead) => (lead.kind === kind ? lead.text : []));
}

describe("addresses", () => {
  it.each([
    "See https://files.evil.example/x for it.",
    "See hxxps://files.evil.example/x for it.",
    "See files[.]evil[.]example/x for it.",
    "See files(dot)evil(dot)example/x for it.",
    "See files dot evil dot example for it.",
    "See FILES.EVIL.EXAMPLE.",
    "See files.evil\u200B.example.",
    "See files.еvil.example.", // a Cyrillic letter
    "Write to bob@files.evil.example.",
    "See aHR0cHM6Ly9maWxlcy5ldmlsLmV4YW1wbGUveA==",
  ])("are read as a host and its domain: %s", (text) => {
    expect(texts(text, "address")).toEqual(expect.arrayContaining(["files.evil.example", "evil.example"]));
  });

  it.each(["10.1.2.3", "10.1.2.3:8080", "fe80:0:0:0:1:2:3:4", "xn--80ak6aa92e.example", "localhost:9999"])(
    "are numbers and codes as well: %s",
    (address) => expect(texts(`Ask ${address} first.`, "address")).toContain(address),
  );

  it.each(["Read settings.toml and SKILL.md.", "At 10.30 the mean was 3.14, i.e. more.", "See fig. 2.", "Use v1.2."])(
    "are no files, numbers or abbreviations: %s",
    (text) => expect(texts(text, "address").filter((found) => found !== "i.e")).toEqual([]),
  );
});

describe("hosts", () => {
  it.each([
    ["Ask https://0xC6336417:5000/x.", "198.51.100.23"],
    ["Ask 3325256727 for it.", "198.51.100.23"],
    ["Ask evil . example for it.", "evil.example"],
    ["Ask hxxps:\\\\evil{dot}example\\x.", "evil.example"],
  ])("are recognised in other spellings: %s", (text, host) => expect(texts(text, "address")).toContain(host));
  it("are destinations, but not ambiguous names", () => {
    const leads = (text: string) => destinationsIn(text).flatMap((one) => (one.isHost ? one.text : []));
    expect(leads("See a.evil.com, bob@evil.example and https://x.partner/y.")).toEqual(
      expect.arrayContaining(["a.evil.com", "evil.com", "evil.example", "x.partner"]),
    );
    expect(leads("Set core.hooksPath, call os.getcwd(), see https://{{host}}.example.")).toEqual([]);
  });
  it("may be settings unless something shows them to be hosts", () => {
    const unsure = (text: string) => destinationsIn(text).flatMap((one) => (one.isUnsure ? one.text : []));
    expect(unsure("Set core.autocrlf and user.email, read response.text.")).toEqual([
      "core.autocrlf",
      "user.email",
      "response.text",
    ]);
    expect(unsure("See a.evil.com, evil.ru, bob@evil.partner, https://x.partner/y and www.evil.partner.")).toEqual([]);
  });
});

describe("numbers", () => {
  it.each([
    ["+49 30 5550 1177", "493055501177"],
    ["(030) 5550-1177", "03055501177"],
    ["NL91 ABNA 0417 1643 00", "910417164300"],
  ])("are compared by their digits, with any spacing: %s", (text, digits) =>
    expect(texts(`Call ${text} now.`, "number")).toEqual([digits]),
  );
  it.each(["2030-12-24 10:00", "20301224", "1000000", "12, 13, 14, 15", "3.14159265", "410;398;455"])(
    "are no days, round numbers or lists: %s",
    (text) => expect(texts(`Since ${text} it is so.`, "number")).toEqual([]),
  );
  it("are equal with and without a country code", () => {
    expect(toLocalNumber("493055501177") === toLocalNumber("03055501177")).toBe(true);
    expect(toLocalNumber("493055501177") === toLocalNumber("493055501178")).toBe(false);
  });
});

it("a destination is found as a whole word, never inside a longer one", () => {
  const lead = { kind: "address", text: "evil.example" } as const;
  expect(containsDestination(toSearchable("see evil.example now"), lead)).toBe(true);
  expect(containsDestination(toSearchable("see devil.example and evil.examples"), lead)).toBe(false);
});
