// The Agent Skills standard as its strictest readers apply it. Used by the strict export, and wherever a text must
// follow the standard. Pure; never throws.
import { type Document, isAlias, isMap, isNode, isScalar, isSeq, parseDocument, visit } from "yaml";
import { isDeep } from "./frontmatter.ts";
import { messageOf } from "../../errors.ts";

export const STANDARD_FIELDS = [
  "name",
  "description",
  "license",
  "compatibility",
  "metadata",
  "allowed-tools",
] as const;

/** Limits of the specification. */
export const STANDARD = { nameChars: 64, descriptionChars: 1_024, compatibilityChars: 500 } as const;

/**
 * The faults that the reference validator would report, one sentence each; empty when there are none. `folder` is the
 * name of the skill's folder. YAML is read strictly: every scalar is a string; flow style, anchors, tags and duplicate
 * keys are faults.
 */
export function checkStandard(text: string, folder: string): string[] {
  if (!text.startsWith("---")) return ["SKILL.md must begin with a line `---`."];
  // The reference parser ends the frontmatter at the next three hyphens, wherever they are.
  const end = text.indexOf("---", 3);
  if (end < 0) return ["The frontmatter must end with a line `---`."];
  const header = text.slice(3, end);
  if (!/\n$/.test(header))
    return ["Three hyphens inside the frontmatter end it for some readers: write them otherwise."];
  if (header.length > MAX_HEADER_CHARS) return [`The frontmatter must have at most ${MAX_HEADER_CHARS} characters.`];
  if (isDeep(header)) return ["The frontmatter is nested too deep: keep it to a few levels."];
  try {
    const document = parseDocument(header, {
      logLevel: "silent",
      schema: "failsafe",
      uniqueKeys: false,
      prettyErrors: false,
    });
    const fault = document.errors[0]?.message.split("\n", 1)[0];
    if (fault !== undefined) {
      const hint = COLON_IN_TEXT.test(header) ? ' Put a text that holds ": " in double quotes.' : "";
      return [`The frontmatter is not YAML: ${fault.replace(/(?<![.:])[.:]+$/, "")}.${hint}`];
    }
    const faults = checkStyle(document);
    return faults.length > 0 ? faults : checkFields(document, folder);
  } catch (thrown) {
    return [`The frontmatter cannot be read: ${messageOf(thrown).split("\n", 1)[0]}.`];
  }
}

/** A text that contains a colon, such as `description: For letters: who, when`. */
const COLON_IN_TEXT = /^[\w-]{1,60}: [^"'\n]{1,2000}: /m;
/** Longest frontmatter that is checked. */
const MAX_HEADER_CHARS = 100_000;

function checkStyle(document: Document): string[] {
  const faults = new Set<string>();
  if (!isMap(document.contents)) return ["The frontmatter must be a mapping: write one `key: value` a line."];
  visit(document, (_key, node) => {
    if (isAlias(node)) faults.add("The frontmatter must not use aliases (`*name`).");
    if (!isNode(node)) return;
    if ("anchor" in node && node.anchor) faults.add("The frontmatter must not use anchors (`&name`).");
    if ("tag" in node && node.tag) {
      faults.add("The frontmatter must not use tags (`!name`).");
    }
    // The parser's own check takes quadratic time.
    const keys = isMap(node) ? node.items.map(({ key }) => (isScalar(key) ? String(key.value) : "")) : [];
    if (new Set(keys).size < keys.length) faults.add("The frontmatter must not have a key twice in one place.");
    if ((isMap(node) || isSeq(node)) && node.flow) {
      faults.add("The frontmatter must not use flow style (`{…}`, `[…]`): write one item a line.");
    }
  });
  return [...faults];
}

function checkFields(document: Document, folder: string): string[] {
  const fields = document.toJS() as Record<string, unknown>;
  const unknown = Object.keys(fields).filter((key) => !(STANDARD_FIELDS as readonly string[]).includes(key));
  const list = unknown.map((key) => JSON.stringify(key.slice(0, 80))).join(", ");
  return [
    ...(unknown.length > 0 ? [`Only ${STANDARD_FIELDS.join(", ")} are fields: move ${list} to metadata.`] : []),
    ...checkName(fields.name, folder),
    ...checkText("description", fields.description, STANDARD.descriptionChars, true),
    ...checkText("license", fields.license, Infinity, false),
    ...checkText("compatibility", fields.compatibility, STANDARD.compatibilityChars, false),
    ...checkText("allowed-tools", fields["allowed-tools"], Infinity, false),
    ...checkMetadata(document),
  ];
}

function checkName(value: unknown, folder: string): string[] {
  if (typeof value !== "string" || value.trim() === "") return ["`name` must be there, as text."];
  const name = value.trim().normalize("NFKC");
  const faults: string[] = [];
  if (charsOf(name) > STANDARD.nameChars) faults.push(`\`name\` must have at most ${STANDARD.nameChars} characters.`);
  if (name !== name.toLowerCase()) faults.push("`name` must be lower-case.");
  if (!/^[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*$/u.test(name)) {
    faults.push("`name` must be letters and digits, joined by single hyphens.");
  }
  if (folder.normalize("NFKC") !== name) {
    faults.push(`\`name\` must be the folder's name, ${JSON.stringify(folder.slice(0, 80))}.`);
  }
  return faults;
}

function checkText(key: string, value: unknown, maxChars: number, isRequired: boolean): string[] {
  if (value === undefined && !isRequired) return [];
  const isEmpty = typeof value !== "string" || (isRequired && value.trim() === "");
  if (isEmpty) return [`\`${key}\` must be ${isRequired ? "there, as text" : "one text, not a list or a mapping"}.`];
  return charsOf(value) > maxChars ? [`\`${key}\` must have at most ${maxChars} characters.`] : [];
}

function checkMetadata(document: Document): string[] {
  if (!document.has("metadata")) return [];
  const metadata: unknown = document.get("metadata", true);
  const isFlat = isMap(metadata) && metadata.items.every(({ key, value }) => isScalar(key) && isScalar(value));
  return isFlat ? [] : ["`metadata` must be a mapping from text to text, one line each."];
}

/** Counts code points, as Python does. */
function charsOf(text: string): number {
  return Array.from(text).length;
}
