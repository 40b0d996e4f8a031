// The files that an answer sends: lines `MEDIA:path`, and Markdown links and images that name a path of the workspace. Words in code are
// left alone. Pure.

/** What a line that names a file begins with. */
export const FILE_MARK = "MEDIA:";
/** [own] Of one answer. */
const MAX_FILES = 10;
/** [own] Longer labels and paths are not looked for. */
const MAX_CHARS = 500;

export interface AnswerFiles {
  /** The text without the lines and images that name a file. */
  text: string;
  /** `isLink`: the text still has the link's words, and reads well without the file. */
  files: { path: string; isLink: boolean }[];
}

/** `isThere`: whether the workspace has a file; asked for links, since any link may look like a path. */
export async function findFiles(markdown: string, isThere: (path: string) => Promise<boolean>): Promise<AnswerFiles> {
  const files = new Map<string, boolean>();
  const add = (path: string, isLink: boolean): boolean => {
    if (files.size >= MAX_FILES && !files.has(path)) return false;
    files.set(path, (files.get(path) ?? true) && isLink);
    return true;
  };
  const lines: string[] = [];
  let fence: string | null = null;
  for (const line of markdown.split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? null;
    if (fence !== null) {
      if (mark?.startsWith(fence) && line.trim() === mark) fence = null;
      lines.push(line);
      continue;
    }
    if (mark !== null) {
      fence = mark;
      lines.push(line);
      continue;
    }
    const named = readMediaLine(line);
    if (named !== null && add(named, false)) continue;
    lines.push(await takeLinks(line, add, isThere));
  }
  const text = lines.join("\n").trim();
  return { text, files: [...files].map(([path, isLink]) => ({ path, isLink })) };
}

export function withoutBullet(line: string): string {
  return line.trim().replace(/^[-*] /, "");
}

function readMediaLine(line: string): string | null {
  const words = withoutBullet(line);
  if (!words.startsWith(FILE_MARK)) return null;
  const path = words.slice(FILE_MARK.length).trim();
  const bare = path.length > 1 && path.startsWith("`") && path.endsWith("`") ? path.slice(1, -1) : path;
  return toWorkspacePath(bare);
}

/** Replaces each link to a file by its words, and removes each image. */
async function takeLinks(
  line: string,
  add: (path: string, isLink: boolean) => boolean,
  isThere: (path: string) => Promise<boolean>,
): Promise<string> {
  let written = "";
  let from = 0;
  for (let middle = line.indexOf("]("); middle >= 0; middle = line.indexOf("](", middle + 2)) {
    const open = line.lastIndexOf("[", middle);
    const end = line.indexOf(")", middle);
    if (open < from || end < 0 || middle - open > MAX_CHARS || end - middle > MAX_CHARS) continue;
    if (isInCode(line, open)) continue;
    const path = readTarget(line.slice(middle + 2, end));
    const isImage = open > from && line[open - 1] === "!";
    if (path === null || (!isImage && !(await isThere(path))) || !add(path, !isImage)) continue;
    written += line.slice(from, isImage ? open - 1 : open) + (isImage ? "" : line.slice(open + 1, middle));
    from = end + 1;
    middle = end - 1;
  }
  return written + line.slice(from);
}

/** Behind an odd number of backticks. */
function isInCode(line: string, at: number): boolean {
  return line.slice(0, at).split("`").length % 2 === 0;
}

/** A link's target without its title; its percent signs read. */
function readTarget(target: string): string | null {
  const bare = target.trim();
  const url = bare.startsWith("<") && bare.endsWith(">") ? bare.slice(1, -1) : (bare.split(/\s/, 1)[0] ?? "");
  try {
    return toWorkspacePath(decodeURIComponent(url));
  } catch {
    return null; // not percent-encoded as an address is
  }
}

/** `null`: an address, or a place outside the workspace. */
function toWorkspacePath(given: string): string | null {
  const path = given.startsWith("sandbox:") ? given.slice("sandbox:".length) : given;
  if (path === "" || path.length > MAX_CHARS || path.startsWith("#") || path.startsWith("//")) return null;
  if (/^[a-z][a-z0-9+.-]{0,30}:/i.test(path)) return null;
  return path.startsWith("/") && !path.startsWith("/work/") ? null : path;
}
