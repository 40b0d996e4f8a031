// Reads the text of a PDF, page by page. Called by page-reader.ts. pdf.js does the work (through unpdf, which builds it for runtimes
// without a DOM); it is loaded with the first document. One document at a time in an isolate, within a budget of memory and steps.
import { type Result, assert, err, ok } from "../../../errors.ts";

/** Decoded bytes of one stream. A larger one holds pictures or a bomb. */
const MAX_BUFFER_BYTES = 20_000_000;
/** Decoded bytes of all streams, as they grow: each is counted about twice. */
const MAX_BYTES = 300_000_000;
/** Operators of all pages, and of one, whose text is in memory at once. A page of dense text has about 10,000. */
const MAX_STEPS = 2_000_000;
const MAX_PAGE_STEPS = 300_000;
/** Entries of all fonts' tables (widths, maps to text) and what takes as much memory: about 50 bytes each. A Chinese font has up to 60,000. */
const MAX_ENTRIES = 800_000;
const MAX_PAGES = 1_000;
/** pdf.js looks for each page from the first one on. */
const MAX_LOOKUPS = 2_000_000;

/** The counters that scripts/patch-unpdf.mjs adds to pdf.js. */
interface PdfBudget {
  buffer: number;
  bytes: number;
  steps: number;
  entries: number;
  isSpent: boolean;
}

interface TextItem {
  str?: string;
  hasEOL?: boolean;
  height?: number;
  transform?: number[];
}

/** Of `getDocument`. A PDF's JavaScript, forms and attachments are data to pdf.js; nothing runs them. */
const OPTIONS = {
  verbosity: 0,
  isEvalSupported: false,
  enableXfa: false,
  useSystemFonts: false,
  disableFontFace: true,
  useWorkerFetch: false,
  useWasm: false,
  isOffscreenCanvasSupported: false,
  isImageDecoderSupported: false,
};

let queue: Promise<unknown> = Promise.resolve();

/** Failures: `pdf_locked`, `pdf_broken`, `pdf_no_text`, `pdf_too_complex`, `aborted`. */
export function readPdf(
  bytes: Uint8Array,
  maxChars: number,
  signal: AbortSignal,
): Promise<Result<{ title: string; text: string; isCut: boolean }>> {
  const reading = queue.then(() => readNow(bytes, maxChars, signal));
  queue = reading.catch(() => undefined); // the caller gets the error
  return reading;
}

async function readNow(bytes: Uint8Array, maxChars: number, signal: AbortSignal) {
  if (signal.aborted) return err("aborted", "The request was cancelled.");
  const { getResolvedPDFJS } = await import("unpdf");
  const pdfjs = await getResolvedPDFJS();
  const { pdfBudget: budget } = pdfjs as unknown as { pdfBudget?: PdfBudget };
  assert(budget, "the installed unpdf is not patched");
  Object.assign(budget, { buffer: MAX_BUFFER_BYTES, bytes: MAX_BYTES, steps: 0, entries: MAX_ENTRIES, isSpent: false });
  const loading = pdfjs.getDocument({ data: bytes.slice(), ...OPTIONS });
  try {
    const document = await loading.promise;
    const pages: string[] = [];
    let [chars, steps] = [0, MAX_STEPS];
    const lastPage = Math.min(document.numPages, MAX_PAGES, Math.ceil(MAX_LOOKUPS / document.numPages));
    for (let n = 1; n <= lastPage && chars <= maxChars && !budget.isSpent; n++) {
      if (signal.aborted) return err("aborted", "The request was cancelled.");
      budget.steps = Math.min(steps, MAX_PAGE_STEPS);
      steps -= budget.steps;
      const page = await document.getPage(n).catch(() => null); // one page may be broken; the others are still readable
      const items =
        page === null
          ? []
          : await page.getTextContent().then(
              (text) => text.items,
              () => [],
            );
      pages.push(toLines(items as TextItem[]));
      chars += pages.at(-1)!.length;
      page?.cleanup();
      steps += Math.max(0, budget.steps);
    }
    const text = pages
      .map((page, at) => (page === "" ? "" : `${document.numPages > 1 ? `## Page ${at + 1}\n\n` : ""}${page}`))
      .filter((page) => page !== "")
      .join("\n\n");
    if (text === "" && budget.isSpent) return tooComplex();
    if (text === "") return err("pdf_no_text", "The PDF has no text: its pages are pictures.");
    const isCut = budget.isSpent || pages.length < document.numPages || text.length > maxChars;
    return ok({ title: await readTitle(document), text: text.slice(0, maxChars).toWellFormed(), isCut });
  } catch (error) {
    if (budget.isSpent) return tooComplex();
    if (error instanceof Error && error.name === "PasswordException") {
      return err("pdf_locked", "The PDF needs a password. Use another source.");
    }
    return err("pdf_broken", "The PDF is damaged and could not be read. Use another source.");
  } finally {
    await loading.destroy().catch(() => undefined); // a document that failed has nothing to end
  }
}

function tooComplex(): Result<never> {
  return err("pdf_too_complex", "The PDF needs too much memory or time to be read here. Use another source.");
}

async function readTitle(document: { getMetadata(): Promise<{ info: object }> }): Promise<string> {
  const { info } = await document.getMetadata().catch(() => ({ info: {} })); // a title is worth no failure
  const title = (info as { Title?: unknown }).Title;
  return typeof title === "string" ? title.replace(/\s+/g, " ").trim() : "";
}

/** Lines as they are on the page; an empty line where the gap is larger than between lines. */
function toLines(items: TextItem[]): string {
  let text = "";
  let lastY: number | null = null;
  for (const { str = "", hasEOL, height = 0, transform } of items) {
    const y = transform?.[5] ?? null;
    if (str.trim() !== "" && y !== null) {
      if (lastY !== null && height > 0 && lastY - y > height * 2 && text.endsWith("\n")) text += "\n";
      lastY = y;
    }
    text += str;
    if (hasEOL) text += "\n";
  }
  return text
    .replace(/ \n/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}
