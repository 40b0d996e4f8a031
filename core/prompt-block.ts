// The blocks of a prompt that contain text written by others: how a block is opened and closed, and how text is kept from doing
// so. Every text that a model reads inside a block or fence goes through `escapeTags` or `escapeTagsInJson`. Pure.

/**
 * Every tag that begins or ends a block, a note or a fence, in any prompt, request or tool result. Foreign text is escaped for
 * all of them. Text assembled from our own blocks is escaped only for the tags around it.
 */
const TAGS = {
  blocks: ["available_skills", "memory", "memory-context", "project_file", "news", "content", "skills?", "transcript"],
  note: ["note"],
  summary: ["earlier_conversation", "previous_summary", "recalled", "conversation", "focus"],
  title: ["request", "answer"],
};

type BlockName = "available_skills" | "memory" | "memory-context" | "project_file" | "news";

/** Invisible characters: a model reads the tag despite them. */
const INVISIBLE = "\\p{Default_Ignorable_Code_Point}\\p{Cf}\\p{Cc}";
/** Brackets that a model reads as `<`: ASCII, full-width and small. */
const OPENING_BRACKETS = "<\\uFF1C\\uFE64";
/** A slash, also full-width, as a fraction and as a division. */
const SLASHES = "/\\uFF0F\\u2044\\u2215";
/** White space and control characters as JSON escapes. */
const JSON_GAP = "\\\\[bfnrt]|\\\\u00[01][0-9a-f]";

/**
 * Matches a tag in any spelling: white space, slashes and invisible characters before the name, invisible ones inside it. A run
 * of brackets is matched whole, so that each bracket is examined once.
 */
function toTagPattern(tags: string[], gap = ""): RegExp {
  const inside = gap ? `(?:[${INVISIBLE}]|${gap})*` : `[${INVISIBLE}]*`;
  const before = `(?:[${OPENING_BRACKETS}${SLASHES}\\s${INVISIBLE}]${gap && `|${gap}`})*`;
  const names = tags.map((name) => (name.match(/.\??/g) ?? []).map(toWidths).join(inside)).join("|");
  return new RegExp(`[${OPENING_BRACKETS}]${before}(?:(${names})(?![\\p{L}\\p{N}_]))?`, "giu");
}

/** Matches a character in both of its widths: `c` as `ｃ` too. `s?` stays optional. */
function toWidths(char: string): string {
  return `[${char[0]}${String.fromCodePoint(char.charCodeAt(0) + 0xfee0)}]${char.slice(1)}`;
}

const ALL_TAGS = Object.values(TAGS).flat();
const TAG_PATTERNS = {
  all: toTagPattern(ALL_TAGS),
  note: toTagPattern(TAGS.note),
  summary: toTagPattern(TAGS.summary),
};
const TAG_IN_JSON = toTagPattern(ALL_TAGS, JSON_GAP);
const STEER_IN_JSON = new RegExp(`[[\\uFF3B](?=(?:[\\s/${INVISIBLE}]|${JSON_GAP})*steer)`, "giu");
/**
 * Marks of roles in the chat templates of open models: ChatML, Llama, Mistral, Gemma, DeepSeek. Some model servers read them in any text as
 * the end of one message and the beginning of another.
 */
const ROLE_MARK =
  /<(?=[|\uFF5C]|\/?(?:s|bos|eos|start_of_turn|end_of_turn|<\/?SYS>)>)|\[(?=\/?(?:INST|SYSTEM_PROMPT|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS)\])/gi;
const BRACKET = new RegExp(`[${OPENING_BRACKETS}]`, "gu");

/** `content` is ours, except for pieces that went through `escapeTags`. */
export function fence(name: BlockName, content: string): string {
  return `<${name}>\n${content}\n</${name}>`;
}

/** Writes as `&lt;` every bracket that could open or close a block. */
export function escapeTags(text: string, tags: keyof typeof TAG_PATTERNS = "all"): string {
  return text.replace(TAG_PATTERNS[tags], (run, name?: string) => (name ? run.replace(BRACKET, "&lt;") : run));
}

/**
 * The same for JSON. Also escapes what could pass for the marker of a steered message or, to a model server, for a mark of a role.
 * The escape keeps the value.
 */
export function escapeTagsInJson(json: string): string {
  const escape = (bracket: string) => `\\u${bracket.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return json
    .replace(TAG_IN_JSON, (run, name?: string) => (name ? run.replace(BRACKET, escape) : run))
    .replace(STEER_IN_JSON, escape)
    .replace(ROLE_MARK, escape);
}
