// The contract of a skill: tools with fingerprints of their parameters, hosts and formats that it was written for. It
// is in the metadata of its SKILL.md, flat, as the Agent Skills standard requires. Fingerprints are filled in here when
// a model writes a skill. The library compares them with the present tools when it is loaded. Pure.
import { toObject } from "../../unknown-object.ts";
import { type Result, err, ok } from "../../errors.ts";
import { sha256Hex } from "../../schemas/learning/digest.ts";
import type { JsonObject } from "../../schemas/entry.ts";
import { type FileBodies, textOrEmpty } from "../../schemas/file-body.ts";
import { SKILL_MD, parseSkill } from "./format.ts";

export interface Contract {
  /** Tool name → fingerprint of the parameters it was written for; empty when any will do. */
  tools: Record<string, string>;
  hosts: string[];
  /** Free text. */
  formats: string[];
}

/** Tool name → fingerprint of its parameters. */
export type ToolFingerprints = Readonly<Record<string, string>>;

const KEY = "talaria.contract";
const MAX_ITEMS = 20;
const TOOL = /^([A-Za-z_][\w.-]{0,63})(?:@([0-9a-f]{8}))?$/;
const HOST = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/i;
const MAX_FORMAT_CHARS = 100;

/**
 * `meta`: the fields of the frontmatter. Reads the flat keys `talaria.contract.tools`, `.hosts` and `.formats`, and the
 * same keys nested. Null when the contract is empty. Invalid tools, hosts and formats are left out.
 */
export function readContract(meta: Record<string, unknown>): Contract | null {
  const metadata = toObject(meta.metadata);
  const nested = toObject(toObject(metadata.talaria).contract);
  const field = (name: string) => [
    ...itemsOf(metadata[`${KEY}.${name}`]),
    ...itemsOf(nested[name]),
    ...itemsOf(flattened(metadata, `${KEY}.${name}.`)),
  ];
  const tools = field("tools").flatMap((item) => {
    const tool = TOOL.exec(item);
    return tool ? [[tool[1]!, tool[2] ?? ""] as const] : [];
  });
  const contract = {
    tools: Object.fromEntries(tools.slice(0, MAX_ITEMS)),
    hosts: field("hosts")
      .filter((host) => HOST.test(host))
      .slice(0, MAX_ITEMS),
    formats: field("formats")
      .filter((format) => format.length <= MAX_FORMAT_CHARS)
      .slice(0, MAX_ITEMS),
  };
  return Object.values(contract).every((part) => Object.keys(part).length === 0) ? null : contract;
}

/** Reads a mapping that the strict export has flattened. */
function flattened(metadata: Record<string, unknown>, prefix: string): Record<string, unknown> {
  const own = Object.entries(metadata).filter(([key]) => key.startsWith(prefix));
  return Object.fromEntries(own.map(([key, value]) => [key.slice(prefix.length), value]));
}

/** The contract in a SKILL.md. */
export function contractOf(skillMd: string): Contract | null {
  const parsed = parseSkill(skillMd, { fallbackName: "unnamed" });
  return parsed.ok ? readContract(parsed.value.meta) : null;
}

/** Tools of the contract that are missing or have changed, by name. Hosts and formats cannot be verified. */
export function findContractBreaks(
  { tools }: Contract,
  fingerprints: ToolFingerprints,
): { missing: string[]; changed: ChangedTool[] } {
  const names = Object.keys(tools).sort();
  return {
    missing: names.filter((tool) => !Object.hasOwn(fingerprints, tool)),
    changed: names
      .filter((tool) => tools[tool] !== "" && Object.hasOwn(fingerprints, tool) && fingerprints[tool] !== tools[tool])
      .map((tool) => ({ tool, from: tools[tool]!, to: fingerprints[tool]! })),
  };
}

export interface ChangedTool {
  tool: string;
  from: string;
  to: string;
}

/** Prefix of a finding of `toFinding`. */
export const CONTRACT_FINDING = "contract: ";

/** A finding as the head's health stores it. It applies for as long as the text names the old fingerprint. */
export function toFinding({ tool, from, to }: ChangedTool): string {
  return `${CONTRACT_FINDING}${tool}@${from} is ${tool}@${to} now`;
}

/** Whether a finding of `toFinding` still applies to this contract. */
export function isCurrentFinding(finding: string, contract: Contract | null): boolean {
  const [, tool = "", from = ""] = /^contract: (\S+)@([0-9a-f]{8}) is /.exec(finding) ?? [];
  return contract !== null && Object.hasOwn(contract.tools, tool) && contract.tools[tool] === from;
}

const fingerprints = new WeakMap<JsonObject, string>();

/** The fingerprint of a tool's parameters: their names and types, not their descriptions. */
export function fingerprintOf(parameters: JsonObject): string {
  const known = fingerprints.get(parameters);
  if (known) return known;
  const fingerprint = sha256Hex(JSON.stringify(shapeOf(parameters))).slice(0, 8);
  fingerprints.set(parameters, fingerprint);
  return fingerprint;
}

/** The schema with sorted keys and without descriptions. `isMap`: the keys are names of parameters. */
function shapeOf(schema: unknown, isMap = false): unknown {
  if (Array.isArray(schema)) return schema.map((item) => shapeOf(item));
  if (typeof schema !== "object" || schema === null) return schema;
  const fields = Object.entries(schema)
    .filter(([key]) => isMap || (key !== "description" && key !== "title"))
    .map(([key, value]) => [key, shapeOf(value, !isMap && (key === "properties" || key === "$defs"))] as const);
  return Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Fills in the fingerprints of the tools that the contract of a model's skill names, since a model cannot know them. An
 * unchanged line stays, so that unrelated changes say nothing about it. A name without a fingerprint gets the present
 * one. When the tools are unknown (`null`), new fingerprints are removed. Failure: `bad_contract`.
 */
export function pinTools(
  files: FileBodies,
  currentFiles: FileBodies,
  known: ToolFingerprints | null,
): Result<FileBodies> {
  const text = textOrEmpty(files[SKILL_MD]);
  const line = TOOLS_LINE.exec(frontmatterOf(text));
  const present = textOrEmpty(currentFiles[SKILL_MD]);
  if (!line || TOOLS_LINE.exec(frontmatterOf(present))?.[0] === line[0]) return ok(files);
  const [whole, head = "", quoted = ""] = line;
  const before = contractOf(present)?.tools ?? {};
  const items = itemsOf(quoted.trimEnd().replace(/^(["'])(.*)\1$/, "$2"));
  if (items.length > MAX_ITEMS)
    return err("bad_contract", `A contract names at most ${MAX_ITEMS} tools: leave some out.`);
  const pinned: string[] = [];
  for (const item of items) {
    const [, tool, fingerprint = ""] = TOOL.exec(item) ?? [];
    if (tool === undefined) {
      return err(
        "bad_contract",
        `${JSON.stringify(item.slice(0, 80))} is not a tool's name: write ${KEY}.tools: "read_file".`,
      );
    }
    const wasNamed = Object.hasOwn(before, tool);
    if (known && !wasNamed && !Object.hasOwn(known, tool)) {
      const list = Object.keys(known).sort().join(", ");
      return err("bad_contract", `The contract names '${tool}', and there is no such tool. There are: ${list}.`);
    }
    const keeps = wasNamed && fingerprint !== "" && before[tool] === fingerprint;
    const present = known && Object.hasOwn(known, tool) ? known[tool]! : "";
    const pin = keeps ? fingerprint : present;
    pinned.push(pin ? `${tool}@${pin}` : tool);
  }
  const at = line.index;
  const made = `${head}"${pinned.join(", ")}"`;
  return ok({ ...files, [SKILL_MD]: text.slice(0, at) + made + text.slice(at + whole.length) });
}

/** The flat form on one line, the only form that a model may write. */
const TOOLS_LINE = /^([ \t]+["']?talaria\.contract\.tools["']?[ \t]*:[ \t]*)(\S.*)$/m;

function frontmatterOf(text: string): string {
  const end = text.indexOf("\n---", 3);
  return end < 0 ? "" : text.slice(0, end);
}

/** Items of a list, of a text with commas, or of a mapping whose values follow an `@`. */
function itemsOf(value: unknown): string[] {
  if (typeof value === "string") return clean(value.split(/[,\n]/));
  if (Array.isArray(value)) return clean(value.filter((item) => typeof item === "string"));
  const pairs = Object.entries(toObject(value));
  return clean(
    pairs.map(([name, fingerprint]) =>
      typeof fingerprint === "string" && fingerprint ? `${name}@${fingerprint}` : name,
    ),
  );
}

function clean(items: string[]): string[] {
  return items.map((item) => item.trim()).filter(Boolean);
}
