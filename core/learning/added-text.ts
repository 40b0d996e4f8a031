// Finds the text that a write adds to a skill: paragraphs of prose and lines of code. Rules about new text thus ignore existing
// text. Called by the rules of a review and of a curation. Pure.
import { type FileBodies, textOrEmpty } from "../schemas/file-body.ts";
import { CODE_FENCE, isProse, splitLines } from "./markdown.ts";

export interface AddedText {
  /** Paragraphs, list items and headings, each as one line. */
  prose: string[];
  /** Lines of fenced blocks, and of files that are not Markdown. */
  code: string[];
}

/** A line counts as added if none of the files had it before. */
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

/** The start of a line that begins a new paragraph. */
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
