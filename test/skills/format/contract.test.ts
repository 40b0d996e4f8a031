// The tools a skill was written for: read in each form, completed by code, compared with the current tools.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { toToolSpecs } from "../../../core/agent/tool-specs.ts";
import type { Tool } from "../../../core/agent/contract.ts";
import type { JsonObject } from "../../../core/schemas/entry.ts";
import {
  type ToolFingerprints,
  findContractBreaks,
  contractOf,
  isCurrentFinding,
  pinTools,
  fingerprintOf,
  toFinding,
} from "../../../core/skills/format/contract.ts";
import { makeStrictCopy } from "../../../core/skills/exchange/strict.ts";
import { checkStandard } from "../../../core/skills/format/standard.ts";

const md = (metadata: string) =>
  `---\nname: a\ndescription: d\nmetadata:\n${metadata}\n---\n\nBody with talaria.contract.tools: "x".\n`;
const tools = (value: string) => md(`  talaria.contract.tools: ${value}`);
const READ = "0a1b2c3d";
const OTHER = "ffffffff";

describe("a contract", () => {
  it.each([
    ["flat", `  talaria.contract.tools: "read_file@${READ}, terminal"`],
    ["nested, as a mapping", `  talaria:\n    contract:\n      tools:\n        read_file: ${READ}\n        terminal:`],
    ["nested, as a list", `  talaria:\n    contract:\n      tools:\n        - read_file@${READ}\n        - terminal`],
    ["flattened", `  talaria.contract.tools.read_file: "${READ}"\n  talaria.contract.tools.terminal: ""`],
  ])("is read in the form %s", (_form, metadata) => {
    expect(contractOf(md(metadata))).toEqual({ tools: { read_file: READ, terminal: "" }, hosts: [], formats: [] });
  });

  it("names hosts and formats, and leaves out invalid ones", () => {
    const text = md(
      `  talaria.contract.hosts: "api.example.com, http://x, a b, 10.0.0.1:8080"\n  talaria.contract.formats: "nginx access log, ${"x".repeat(101)}"\n  talaria.contract.tools: "rm -rf, __proto__, ok"`,
    );
    const contract = contractOf(text)!;
    expect(contract.hosts).toEqual(["api.example.com", "10.0.0.1:8080"]);
    expect(contract.formats).toEqual(["nginx access log"]);
    expect(Object.keys(contract.tools)).toEqual(["__proto__", "ok"]);
  });

  it.each(["  author: me", "  talaria.contract.tools: ''", "  talaria: text"])("is missing in %j", (metadata) => {
    expect(contractOf(md(metadata))).toBeNull();
  });

  it("survives the strict export in any form", () => {
    const nested = md(
      `  talaria:\n    contract:\n      tools:\n        read_file: ${READ}\n      hosts:\n        - a.example.com`,
    );
    const strict = makeStrictCopy("a", { "SKILL.md": nested, "checks/a.json": "{}" });
    if (!strict.ok) throw new Error(strict.failure.message);
    const text = strict.value.files["SKILL.md"] as string;
    expect(checkStandard(text, "a")).toEqual([]);
    expect(contractOf(text)).toEqual(contractOf(nested));
    expect(strict.value.files["checks/a.json"]).toBe("{}");
  });

  it("never throws for any metadata", () => {
    const value = fc.jsonValue().map((json) => `  talaria.contract.tools: ${JSON.stringify(json)}`);
    fc.assert(fc.property(value, (metadata) => void contractOf(md(metadata))));
  });
});

describe("findContractBreaks", () => {
  const contract = contractOf(tools(`"read_file@${READ}, terminal, todo@${READ}, constructor@${READ}"`))!;

  it("distinguishes a missing tool from a changed one", () => {
    expect(findContractBreaks(contract, { read_file: OTHER, todo: READ, terminal: OTHER })).toEqual({
      missing: ["constructor"],
      changed: [{ tool: "read_file", from: READ, to: OTHER }],
    });
  });

  it("finds nothing when nothing changed", () => {
    expect(
      findContractBreaks(contract, {
        read_file: READ,
        todo: READ,
        terminal: READ,
        constructor: READ,
      } as ToolFingerprints),
    ).toEqual({
      missing: [],
      changed: [],
    });
  });

  it("makes findings that apply as long as the text names the old fingerprint", () => {
    const finding = toFinding({ tool: "read_file", from: READ, to: OTHER });
    expect(isCurrentFinding(finding, contract)).toBe(true);
    expect(isCurrentFinding(finding, contractOf(tools(`"read_file@${OTHER}"`)))).toBe(false);
    expect(isCurrentFinding(finding, null)).toBe(false);
    expect(isCurrentFinding("checks/a.json: it failed", contract)).toBe(false);
  });
});

describe("the fingerprint of a tool", () => {
  const specOf = (parameters: z.ZodType) =>
    toToolSpecs([{ name: "t", description: "", parameters } as Tool])[0]!.parameters;
  const base = z.strictObject({ path: z.string().describe("Where."), description: z.string().optional() });

  it("is the same for the same parameters in another order and with other descriptions", () => {
    const other = z.strictObject({ description: z.string().optional(), path: z.string().describe("The place.") });
    expect(fingerprintOf(specOf(other))).toBe(fingerprintOf(specOf(base)));
    expect(fingerprintOf(specOf(base))).toMatch(/^[0-9a-f]{8}$/);
  });

  it.each([
    ["a new name", z.strictObject({ file: z.string(), description: z.string().optional() })],
    ["another type", z.strictObject({ path: z.number(), description: z.string().optional() })],
    ["a parameter that is now required", z.strictObject({ path: z.string(), description: z.string() })],
    ["a removed parameter named description", z.strictObject({ path: z.string() })],
  ])("changes with %s", (_what, parameters) => {
    expect(fingerprintOf(specOf(parameters))).not.toBe(fingerprintOf(specOf(base)));
  });

  it("is cached by schema", () => {
    const schema: JsonObject = { type: "object" };
    expect(fingerprintOf(schema)).toBe(fingerprintOf(schema));
  });
});

describe("pinTools", () => {
  const known: ToolFingerprints = { read_file: READ, terminal: "11111111" };
  const pin = (value: string, standing?: string, prints: ToolFingerprints | null = known) => {
    const pinned = pinTools({ "SKILL.md": tools(value) }, standing ? { "SKILL.md": tools(standing) } : {}, prints);
    return pinned.ok ? (pinned.value["SKILL.md"] as string) : pinned.failure.code;
  };

  it.each([
    ["adds a missing fingerprint", "read_file, terminal", undefined, `"read_file@${READ}, terminal@11111111"`],
    ["corrects a fingerprint that a model made up", `'read_file@${OTHER}'`, undefined, `"read_file@${READ}"`],
    [
      "keeps an unchanged fingerprint",
      `"read_file@${OTHER}, terminal"`,
      `"read_file@${OTHER}"`,
      `"read_file@${OTHER}, terminal@11111111"`,
    ],
    ["adds the current fingerprint if one was removed", `"read_file"`, `"read_file@${OTHER}"`, `"read_file@${READ}"`],
    [
      "keeps an unchanged name of a missing tool",
      `"gone@${OTHER}, terminal"`,
      `"gone@${OTHER}"`,
      `"gone@${OTHER}, terminal@11111111"`,
    ],
  ])("%s", (_what, value, standing, expected) => {
    const made = pin(value, standing);
    expect(made).toBe(tools(expected));
    expect(checkStandard(made, "a")).toEqual([]);
  });

  it("removes new fingerprints if the tools are unknown", () => {
    expect(pin(`"read_file@${OTHER}, todo"`, undefined, null)).toBe(tools(`"read_file, todo"`));
  });

  it("does not touch an unchanged line, even an invalid one", () => {
    expect(pin(`"not a tool!, nowhere"`, `"not a tool!, nowhere"`)).toBe(tools(`"not a tool!, nowhere"`));
  });

  it.each([
    `"not a tool!"`,
    `"nowhere"`,
    `"constructor"`,
    `"${Array.from({ length: 21 }, (_, i) => `t${i}`).join(", ")}"`,
  ])("refuses %s", (value) => {
    expect(pin(value)).toBe("bad_contract");
  });

  it("changes nothing outside the frontmatter", () => {
    const plain = { "SKILL.md": md("  category: ops"), "references/a.md": "x" };
    expect(pinTools(plain, {}, known)).toEqual({ ok: true, value: plain });
  });
});
