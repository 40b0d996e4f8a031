// What a write of a skill adds, as paragraphs of prose and lines of code: rules about new words must not be held against what
// stood there before. Used by the rules of a review. Pure.
import { type FileBodies, textOrEmpty } from "../schemas/file-body.ts";
import { CODE_FENCE, isProse, splitLines } from "./markdown.ts";

export interface AddedText {
  /** Paragraphs, items of lists and headings, each as one line. */
  prose: string[];
  /** Lines of fenced blocks, and of files that are no Markdown. */
  code: string[];
}

/** Lines count as added that stood in none of the files before. */
export function addedText(before: FileBodies, after: FileBodies): AddedText {
  const known = new Set(
    Object.values(before).flatMap((body) => splitLines(textOrEmpty(body)).map((line) => line.trim())),
  );
  const added: AddedText = { prose: [], code: [] };
  for (const [path, body] of Object.entries(after)) {
    if (Object.hasOwn(before, path) && before[path] === body) continue;
    addFile(added, splitLines(textOrEmpty(body)), { known, isMarkdown: isProse(path) });
  }
  return added;
}

/** A line that goes on with nothing before it. */
const BEGINS = /^(?:[-*+>#|]|\d+[.)]\s|---$)/;

function addFile(
  added: AddedText,
  lines: string[],
  { known, isMarkdown }: { known: Set<string>; isMarkdown: boolean },
): void {
  let isCode = !isMarkdown;
  let open: string | null = null;
  const close = () => {
    if (open !== null) added.prose.push(open);
    open = null;
  };
  for (const line of lines) {
    const text = line.trim();
    if (text === "") {
      close();
    } else if (isMarkdown && CODE_FENCE.test(text)) {
      isCode = !isCode;
      close();
    } else if (known.has(text)) {
      close();
    } else if (isCode) {
      added.code.push(text);
    } else if (open === null || BEGINS.test(line)) {
      close();
      open = text;
    } else {
      open = `${open} ${text}`;
    }
  }
  close();
}
