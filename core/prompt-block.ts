// The blocks of a prompt that hold what somebody wrote: how one is opened and closed, and how text is kept from opening or
// closing one. Every text that a model reads inside a block or fence goes through `escapeTags`, or `escapeTagsInJson`. Pure.

/**
 * Every tag that begins or ends a block, a note or a fence, in any prompt, request or tool result. Text from somewhere else is
 * kept from all of them. What is put together from blocks of ours is kept only from the tags that are put around it.
 */
const TAGS = {
  blocks: ["available_skills", "memory", "memory-context", "project_file", "news", "content", "skills?", "transcript"],
  note: ["note"],
  summary: ["earlier_conversation", "previous_summary", "recalled", "conversation", "focus"],
  title: ["request", "answer"],
};

type BlockName = "available_skills" | "memory" | "memory-context" | "project_file" | "news";

/** Characters that show nothing, so that a model reads the tag all the same. */
const INVISIBLE = "\\p{Default_Ignorable_Code_Point}\\p{Cf}\\p{Cc}";
/** Brackets that are read as `<`: the ASCII one, the full-width one, the small one. */
const OPENING = "<\\uFF1C\\uFE64";
/** How JSON writes white space and control characters. */
const JSON_GAP = "\\\\[bfnrt]|\\\\u00[01][0-9a-f]";

/**
 * A tag however it is spelled: blanks, slashes and invisible characters before the name, invisible ones inside it. A run of
 * brackets is matched whole, so no bracket is looked at twice.
 */
function toTagPattern(tags: string[], gap = ""): RegExp {
  const inside = gap ? `(?:[${INVISIBLE}]|${gap})*` : `[${INVISIBLE}]*`;
  const before = `(?:[${OPENING}\\s/${INVISIBLE}]${gap && `|${gap}`})*`;
  const names = tags.map((name) => (name.match(/.\??/g) ?? []).join(inside)).join("|");
  return new RegExp(`[${OPENING}]${before}(?:(${names})(?![\\p{L}\\p{N}_]))?`, "giu");
}

const ALL = Object.values(TAGS).flat();
const PATTERNS = { all: toTagPattern(ALL), note: toTagPattern(TAGS.note), summary: toTagPattern(TAGS.summary) };
const TAG_IN_JSON = toTagPattern(ALL, JSON_GAP);
const STEER_IN_JSON = new RegExp(`[[\\uFF3B](?=(?:[\\s/${INVISIBLE}]|${JSON_GAP})*steer)`, "giu");
const BRACKET = new RegExp(`[${OPENING}]`, "gu");

/** `content` is ours except for pieces that went through `escapeTags`. */
export function fence(name: BlockName, content: string): string {
  return `<${name}>\n${content}\n</${name}>`;
}

/** The text, with the brackets of whatever could open or close a block written as `&lt;`. */
export function escapeTags(text: string, tags: keyof typeof PATTERNS = "all"): string {
  return text.replace(PATTERNS[tags], (run, name?: string) => (name ? run.replace(BRACKET, "&lt;") : run));
}

/**
 * The same for JSON, where brackets occur in strings only and the escape means the same value. What could pass for the mark
 * of a message put into a running turn is escaped, too.
 */
export function escapeTagsInJson(json: string): string {
  const escape = (bracket: string) => `\\u${bracket.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return json
    .replace(TAG_IN_JSON, (run, name?: string) => (name ? run.replace(BRACKET, escape) : run))
    .replace(STEER_IN_JSON, escape);
}
