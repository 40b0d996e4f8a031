// One session as a file: for people as Markdown, or whole as JSON, with every entry as the API gives it.
import { type Answer, call, loadPart } from "../data/api.ts";
import { saveFile } from "../data/save-file.ts";

type SessionInfo = Answer<"GET /v1/sessions/{session}">;
type Entry = Answer<"GET /v1/sessions/{session}/entries">["entries"][number];

export async function exportSession(session: string, form: "markdown" | "json"): Promise<void> {
  const params = { session };
  const info = await call("GET /v1/sessions/{session}", { params });
  const entries = await readEntries(session);
  const name = toFileName(info);
  if (form === "json") {
    saveFile(`${name}.json`, "application/json", JSON.stringify({ session: info, entries }, null, 2));
    return;
  }
  const { renderTranscript } = await loadPart(import("../../cli/output/transcript.ts"));
  type Rendered = Parameters<typeof renderTranscript>;
  saveFile(`${name}.md`, "text/markdown", renderTranscript(info as Rendered[0], entries as Rendered[1]));
}

async function readEntries(session: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  let after: string | undefined;
  do {
    const page = await call("GET /v1/sessions/{session}/entries", { params: { session }, query: { after } });
    entries.push(...page.entries);
    after = page.next;
  } while (after !== undefined);
  return entries;
}

/** The title as a name that every system takes, else the session's id. */
function toFileName({ title, session }: SessionInfo): string {
  const words = title
    .normalize("NFKC")
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
    .replaceAll(/^-|-$/g, "");
  return [...words].slice(0, 60).join("") || session;
}
