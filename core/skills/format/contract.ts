// What a skill assumes of where it is followed: tools with the parameters they had, hosts, formats. Stands in the metadata of
// its SKILL.md, flat, as the Agent Skills standard has it. The fingerprints of tools are filled in here when a model writes a skill;
// the library compares them with the tools that are there when it is loaded. Pure.
import { toObject } from "../../unknown-object.ts";
import { type Result, err, ok } from "../../errors.ts";
import { sha256Hex } from "../../schemas/learning/digest.ts";
import type { JsonObject } from "../../schemas/entry.ts";
import { type FileBodies, textOrEmpty } from "../../schemas/file-body.ts";
import { SKILL_MD, parseSkill } from "./format.ts";

export interface Contract {
  /** By name; the fingerprint of the parameters it was written for, empty when any will do. */
  tools: Record<string, string>;
  hosts: string[];
  /** In free words. */
  formats: string[];
}

/** Tools by name, with the fingerprints of their parameters. */
export type ToolFingerprints = Readonly<Record<string, string>>;

const KEY = "talaria.contract";
const MAX_ITEMS = 20;
const TOOL = /^([A-Za-z_][\w.-]{0,63})(?:@([0-9a-f]{8}))?$/;
const HOST = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/i;
const MAX_FORMAT_CHARS = 100;

/**
 * `meta`: the fields of the frontmatter. Read are the flat keys `talaria.contract.tools`, `.hosts` and `.formats`, and the
 * same nested as people write them. Null when it assumes nothing. What is no tool, host or format is left out.
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

/** What the strict export makes of a mapping. */
function flattened(metadata: Record<string, unknown>, prefix: string): Record<string, unknown> {
  const own = Object.entries(metadata).filter(([key]) => key.startsWith(prefix));
  return Object.fromEntries(own.map(([key, value]) => [key.slice(prefix.length), value]));
}

/** Of a SKILL.md. */
export function contractOf(skillMd: string): Contract | null {
  const parsed = parseSkill(skillMd, { fallbackName: "unnamed" });
  return parsed.ok ? readContract(parsed.value.meta) : null;
}

/** What of a contract does not hold for these tools, by name. What a skill says of hosts and formats nobody can look up. */
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

/** How a finding of `toFinding` begins. */
export const CONTRACT_FINDING = "contract: ";

/** As a head's health keeps it. It is true for as long as the text names the old fingerprint. */
export function toFinding({ tool, from, to }: ChangedTool): string {
  return `${CONTRACT_FINDING}${tool}@${from} is ${tool}@${to} now`;
}

/** Whether a finding of `toFinding` still concerns this contract. */
export function isCurrentFinding(finding: string, contract: Contract | null): boolean {
  const [, tool = "", from = ""] = /^contract: (\S+)@([0-9a-f]{8}) is /.exec(finding) ?? [];
  return contract !== null && Object.hasOwn(contract.tools, tool) && contract.tools[tool] === from;
}

const fingerprints = new WeakMap<JsonObject, string>();

/** Of a tool's parameters: what they are called and what they take, not how they are described. */
export function fingerprintOf(parameters: JsonObject): string {
  const known = fingerprints.get(parameters);
  if (known) return known;
  const fingerprint = sha256Hex(JSON.stringify(shapeOf(parameters))).slice(0, 8);
  fingerprints.set(parameters, fingerprint);
  return fingerprint;
}

/** With sorted keys, and without words for the model. `isMap`: the keys are names of parameters. */
function shapeOf(schema: unknown, isMap = false): unknown {
  if (Array.isArray(schema)) return schema.map((item) => shapeOf(item));
  if (typeof schema !== "object" || schema === null) return schema;
  const fields = Object.entries(schema)
    .filter(([key]) => isMap || (key !== "description" && key !== "title"))
    .map(([key, value]) => [key, shapeOf(value, !isMap && (key === "properties" || key === "$defs"))] as const);
  return Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * The files a model wrote, with the fingerprints of the tools that its contract names: a model cannot know them. What stands
 * already stays, so that a change elsewhere says nothing about it; a name without a fingerprint gets the present one. Where the
 * tools are not known (`null`) fingerprints that did not stand are taken out. Failure: `bad_contract`.
 */
export function pinTools(files: FileBodies, standing: FileBodies, known: ToolFingerprints | null): Result<FileBodies> {
  const text = textOrEmpty(files[SKILL_MD]);
  const line = TOOLS_LINE.exec(frontmatterOf(text));
  const present = textOrEmpty(standing[SKILL_MD]);
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
        `${JSON.stringify(item.slice(0, 80))} is no tool's name: write ${KEY}.tools: "read_file".`,
      );
    }
    const stood = Object.hasOwn(before, tool);
    if (known && !stood && !Object.hasOwn(known, tool)) {
      const list = Object.keys(known).sort().join(", ");
      return err("bad_contract", `The contract names '${tool}', and there is no such tool. There are: ${list}.`);
    }
    const keeps = stood && fingerprint !== "" && before[tool] === fingerprint;
    const pin = keeps ? fingerprint : known && Object.hasOwn(known, tool) ? known[tool]! : "";
    pinned.push(pin ? `${tool}@${pin}` : tool);
  }
  const at = line.index;
  const made = `${head}"${pinned.join(", ")}"`;
  return ok({ ...files, [SKILL_MD]: text.slice(0, at) + made + text.slice(at + whole.length) });
}

/** The flat form on one line, the only one that a model may write. */
const TOOLS_LINE = /^([ \t]+["']?talaria\.contract\.tools["']?[ \t]*:[ \t]*)(\S.*)$/m;

function frontmatterOf(text: string): string {
  const end = text.indexOf("\n---", 3);
  return end < 0 ? "" : text.slice(0, end);
}

/** A list, a text with commas, or the keys of a mapping with their values behind an `@`. */
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
