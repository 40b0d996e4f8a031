// What is replaced before a line leaves, what is not, that JSON stays JSON, and that hostile text costs linear time.
import { describe, expect, test } from "vitest";
import { countRedactions, createRedactor } from "../../core/trajectories/redact.ts";
import type { ToolEntry } from "../../core/schemas/entry.ts";

const PROFILE = "0123456789abcdefghjkmnpqrs";
const redactor = createRedactor({ salt: "a".repeat(64), profile: PROFILE, known: ["U0ADA12345", "-1001234567890"] });

describe("a personal id", () => {
  test.each([
    ["email", "Write to ada.lovelace+x@example.co.uk today.", /^Write to \[email [0-9a-v]{5}\] today\.$/],
    ["email", "Schreib an jörg@müller.example.", /^Schreib an \[email [0-9a-v]{5}\]\.$/],
    ["phone", "Call +49 170 1234567 or not.", /^Call \[phone [0-9a-v]{5}\] or not\.$/],
    ["phone", "(555) 123-4567", /^\[phone [0-9a-v]{5}\]$/],
    ["phone", "Ruf 0170 123 4567 an", /^Ruf \[phone [0-9a-v]{5}\] an$/],
    ["iban", "IBAN DE89 3704 0044 0532 0130 00.", /^IBAN \[iban [0-9a-v]{5}\]\.$/],
    ["iban", "GB82WEST12345698765432", /^\[iban [0-9a-v]{5}\]$/],
    ["card", "4111 1111 1111 1111", /^\[card [0-9a-v]{5}\]$/],
    ["ip", "from 203.0.113.7:443", /^from \[ip [0-9a-v]{5}\]:443$/],
    ["ip", "2001:db8:85a3::8a2e:370:7334", /^\[ip [0-9a-v]{5}\]$/],
    ["session", "see 01J8ZQ4V0000000000000000AB.", /^see \[session [0-9a-v]{5}\]\.$/],
    ["person", "U0ADA12345 wrote in -1001234567890", /^\[person [0-9a-v]{5}\] wrote in \[person [0-9a-v]{5}\]$/],
    ["profile", `p/${PROFILE}/skills`, /^p\/\[profile\]\/skills$/],
    ["phone", "(030) 1234567", /^\[phone [0-9a-v]{5}\]$/],
    ["phone", "06 12 34 56 78", /^\[phone [0-9a-v]{5}\]$/],
    ["phone", "+49 (0)170 / 123 45 67", /^\[phone [0-9a-v]{5}\]$/],
    ["phone", "0049 170 1234567", /^\[phone [0-9a-v]{5}\]$/],
    ["email", "?to=ada%40example.com", /^\?to=\[email [0-9a-v]{5}\]$/],
    ["iban", "DE89-3704-0044-0532-0130-00", /^\[iban [0-9a-v]{5}\]$/],
    ["person", "<@U0ADA12345>", /^<@?\[person [0-9a-v]{5}\]>$/],
    ["person", "It was u0ada12345.", /^It was \[person [0-9a-v]{5}\]\.$/],
    ["person", "tg:-1001234567890:5", /^tg:\[person [0-9a-v]{5}\]:5$/],
    ["encoded secret", `x: ${btoa("sk-abcdefghijklmnopqrstuvwx")}`, /^x: \[redacted encoded secret\]$/],
    ["OpenAI key", "sk-abcdefghijklmnopqrstuvwx", /^\[redacted OpenAI key\]$/],
  ])("of the kind %s is replaced: %s", (kind, text, expected) => {
    const clean = redactor.text(text);
    expect(clean).toMatch(expected);
    expect(Object.keys(countRedactions([clean]))).toEqual([kind]);
    expect(redactor.text(clean)).toBe(clean);
  });

  test.each([
    "It is 10:30:00, version 1.2.3, at 127.0.0.1:8787 or ::1.",
    "4111 1111 1111 1112 and DE89370400440532013002 have wrong check digits.",
    "chmod 0644 0755 0700, mask 255.255.255.0, a::b::c, logo@2x.png",
    "1000 2000 3000 4000 and 2718281828459047 and 490154203237518 are no cards.",
    "On 2026-11-27 we counted 1234567 rows and 12,345.67 of them, see page 123-456.",
    "@Override, a@b and x = y @ z stay, as does std::vector::size.",
    "sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  ])("is not seen in: %s", (text) => expect(redactor.text(text)).toBe(text));

  test("has the same name wherever it stands, another one beside another salt, and none that gives it away", () => {
    const [one, two] = ["ada@example.com", "ADA@example.com"].map((text) => redactor.text(text));
    expect(one).toBe(two);
    expect(redactor.text("bob@example.com")).not.toBe(one);
    expect(createRedactor({ salt: "b".repeat(64), profile: PROFILE }).text("ada@example.com")).not.toBe(one);
  });

  test("is replaced where JSON has it as a number", () => {
    const clean = redactor.deep({ card: 4111111111111111, chat: -1001234567890, n: 12.5 });
    expect(clean).toEqual({
      card: expect.stringMatching(/^\[card/),
      chat: expect.stringMatching(/^\[person/),
      n: 12.5,
    });
  });

  test("is not counted where a text only says so: the counts are sent in a header", () => {
    expect(countRedactions(["[redacted ключ 💥] [redacted thing 1] [redacted thing 2]"])).toEqual({});
  });

  test("is counted as often as the file has it", () => {
    const lines = ["ada@example.com and ada@example.com", "password=hunter2hunter2"].map((text) => redactor.text(text));
    expect(countRedactions(lines)).toEqual({ email: 2, secret: 1 });
  });
});

test("arguments and results stay JSON, and a secret's field is replaced whole", () => {
  const entry: ToolEntry = {
    ...{ v: 1, n: 3, turn: 1, at: 1, kind: "tool", state: "done", step: 0, failed: false, prepared: {} },
    call: { id: "c", name: "write_file", args: { "ada@example.com": 'say "4111111111111111"', password: "x" } },
    parts: [{ source: "content", text: JSON.stringify({ output: '{"api_key":"abcdefgh"}', to: ["ada@example.com"] }) }],
  };
  const clean = redactor.entry(entry) as ToolEntry;
  expect(Object.keys(clean.call.args)[0]).toMatch(/^\[email/);
  expect(clean.call.args).toMatchObject({ password: "[redacted secret]" });
  expect(JSON.parse(clean.parts[0]!.text)).toMatchObject({ to: [expect.stringMatching(/^\[email/)] });
  expect(JSON.stringify(clean)).not.toMatch(/example\.com|4111|abcdefgh/);
});

test.each([
  "a.".repeat(50_000),
  "1 ".repeat(50_000),
  "+1-".repeat(33_000),
  "a@".repeat(50_000),
  "0:".repeat(50_000),
  "AB12 ".repeat(20_000),
  `${"x".repeat(99_990)}@a.b`,
  "0170 ".repeat(20_000),
])("a hundred thousand characters take well under a second (%#)", (text) => {
  const began = performance.now();
  redactor.text(text);
  expect(performance.now() - began).toBeLessThan(2_000);
});
