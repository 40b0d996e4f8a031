import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findSecrets, redactDeep, redactText } from "../core/redact.ts";

// Put together here, so that no scanner takes this file for a leak.
const x = (n: number, letters = "aB3dE5gH7j") => letters.repeat(Math.ceil(n / letters.length)).slice(0, n);
const pem = (kind: string, edge: string) => `-----${edge} ${kind}PRIVATE KEY-----`;

describe("redactText", () => {
  it.each([
    ["Anthropic key", `sk-ant-api03-${x(40)}`],
    ["OpenAI key", `sk-proj-${x(40)}`],
    ["GitHub token", `ghp_${x(36)}`],
    ["GitHub token", `github_pat_${x(40)}`],
    ["GitLab token", `glpat-${x(20)}`],
    ["Slack token", `xoxb-${x(24)}`],
    ["AWS key", `AKIA${x(16, "ABCDEFGH23")}`],
    ["Google key", `AIza${x(35)}`],
    ["Stripe key", `sk_live_${x(24)}`],
    ["npm token", `npm_${x(36)}`],
    ["Talaria key", `tal_${x(26, "0123456789abcdefghjkmnpqrs")}_${x(52)}`],
    ["Talaria library code", `tlib_${x(26, "0123456789abcdefghjkmnpqrs")}_${x(52)}`],
    ["Talaria sign-in code", `tlink_${x(26, "0123456789abcdefghjkmnpqrs")}_${x(52)}`],
    ["service key", `hf_${x(34)}`],
    ["service key", `gsk_${x(48)}`],
    ["service key", `SG.${x(22)}.${x(43)}`],
    ["service key", `SK${x(32, "0123456789abcdef")}`],
    ["service key", `dop_v1_${x(64, "0123456789abcdef")}`],
    ["service key", `hvs.${x(90)}`],
    ["webhook", `https://discord.com/api/webhooks/${x(18, "123456789")}/${x(60)}`],
    ["JWT", `eyJ${x(20)}.eyJ${x(30)}.${x(43)}`],
    ["bearer token", `Bearer ${x(30)}`],
    ["private key", `${pem("RSA ", "BEGIN")}\n${x(64)}\n${x(64)}\n${pem("RSA ", "END")}`],
    ["private key", `${pem("", "BEGIN")}\n${x(64)} cut off`],
  ])("takes out a %s", (kind, secret) => {
    expect(redactText(`before ${secret}`)).toBe(`before [redacted ${kind}]`);
  });

  it.each([
    ["password=hunter22", "password=[redacted secret]"],
    [`{"db_password": "correct horse"}`, `{"db_password": [redacted secret]}`],
    ["export API_KEY='abc def'", "export API_KEY=[redacted secret]"],
    ["tool --client-secret s3cr3t99 --quiet", "tool --client-secret [redacted secret] --quiet"],
    [`token: ${x(20)}`, "token: [redacted secret]"],
    [`MY_SERVICE_TOKEN=${x(20)}`, "MY_SERVICE_TOKEN=[redacted secret]"],
    [`{\\"password\\":\\"hunter22\\"}`, `{\\"password\\":[redacted secret]}`],
    ["<password>hunter22</password>", "<password>[redacted password]</password>"],
    ["curl -u admin:hunter22 https://x.example", "curl -u admin:[redacted password] https://x.example"],
    ["my password is hunter22", "my password is [redacted password]"],
    ["Cookie: session=aB3dE5gH7jaB3d", "Cookie: session=[redacted secret]"],
    ["postgres://me:pa55word@db/x", "postgres://me:[redacted password]@db/x"],
  ])("keeps the name of %s", (text, clean) => {
    expect(redactText(text)).toBe(clean);
  });

  it.each([
    "The token: semicolon separates the fields.",
    "password=$PASSWORD",
    "The passwords differ.",
    "const password = process.env.PASSWORD; api_key = load_key(path); OLDPWD=/tmp/foo",
    "password: string, secrets: inherit, page_token = encode_next_page_token",
    "Basic understanding-of-things, sk-toggleable__content-label-arrow",
    "skipping the header, task-list, sk-1",
    "https://example.com/a:b@c",
    "ghp_short",
  ])("leaves ordinary text alone: %s", (text) => {
    expect(redactText(text)).toBe(text);
  });

  it("changes nothing more the second time", () => {
    const words = fc.constantFrom(
      "password=",
      "token: ",
      "Bearer ",
      "sk-ant-",
      x(20),
      `"api_key": "`,
      '"',
      " ",
      "\n",
      "https://a:",
      "@b",
      pem("", "BEGIN"),
      pem("", "END"),
    );
    fc.assert(
      fc.property(fc.array(words), (pieces) => {
        const once = redactText(pieces.join(""));
        expect(redactText(once)).toBe(once);
      }),
    );
  });

  it.each([
    "a-",
    "a.",
    "eyJaaaaaaaa-",
    "password ",
    "x://",
    "-----BEGIN PRIVATE KEY-----",
    "hf_",
    "SG.a",
    "curl -u a",
    "login a password ",
    "a_token=",
    "M",
  ])("stays quick on 300 KB of %j", (piece) => {
    const text = piece.repeat(300_000 / piece.length);
    const began = performance.now();
    redactText(text);
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});

describe("a JSON web token", () => {
  const token = `eyJ${x(20)}.eyJ${x(40)}.${x(40)}`;

  it("goes, whatever stands before it", () => {
    expect(redactText(`session-${token} a=${token} ${token}`)).toBe(
      "session-[redacted JWT] a=[redacted JWT] [redacted JWT]",
    );
  });

  it("is looked for in linear time, in a text that begins one over and over", () => {
    const text = ("-eyJ".repeat(500) + "." + "-eyJ".repeat(2_000)).repeat(100);
    const began = performance.now();
    redactText(text);
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});

describe("findSecrets", () => {
  it("counts lines once, however many secrets there are", () => {
    const found = findSecrets("AKIAABCDEFGHIJKLMNOP\n".repeat(50_000));
    expect([found.length, found[0], found.at(-1)]).toEqual([
      50_000,
      { line: 1, kind: "AWS key" },
      { line: 50_000, kind: "AWS key" },
    ]);
    expect(findSecrets("a\n\nAKIAABCDEFGHIJKLMNOP AKIAABCDEFGHIJKLMNOP\nb")).toEqual([{ line: 3, kind: "AWS key" }]);
  });
});

describe("redactDeep", () => {
  it("reaches every string, and takes whole what stands under a secret's name", () => {
    const value = {
      a: [`sk-ant-${x(30)}`, 1, null, true],
      env: { password: "x", empty: "", API_KEY: "y", user: "me" },
    };
    expect(redactDeep(value)).toEqual({
      a: ["[redacted Anthropic key]", 1, null, true],
      env: { password: "[redacted secret]", empty: "", API_KEY: "[redacted secret]", user: "me" },
    });
  });
});
