// Exports data to train on into one file: follows the pages, appends each to a temporary file, and gives it its name when it is whole. Used by
// cli/verbs/export.ts and by `npm run trajectories`.
import { randomBytes } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import * as z from "zod";
import { RedactionReport } from "../../core/schemas/trajectories.ts";
import { ProtocolError } from "../events.ts";
import type { Http } from "../connection/http.ts";
import { fillRoute } from "../connection/routes.ts";

/** As the route takes it; a field that is absent filters nothing. */
export type TrajectoryQuery = Partial<
  Record<"format" | "rated" | "successful" | "tool" | "skill" | "since" | "session" | "compress", string | undefined>
>;

/** `redactions`, `leftOut`: how often, by kind and by reason. */
export interface TrajectoryReport {
  lines: number;
  bytes: number;
  redactions: Record<string, number>;
  leftOut: Record<string, number>;
}

const Counts = z.record(z.string(), z.int());
/** One page may wake many sessions. */
const PAGE_MS = 5 * 60_000;

/** Each page as text; the report grows with it. Throws ProblemError and UnreachableError. */
export async function* readTrajectoryPages(
  http: Http,
  query: TrajectoryQuery,
  report: TrajectoryReport,
): AsyncGenerator<string> {
  const [, first] = fillRoute("GET /v1/trajectories", { query });
  for (let path: string | null = first; path !== null;) {
    const page: Response = await http.send("GET", path, { signal: AbortSignal.timeout(PAGE_MS) });
    const text = await page.text();
    report.lines += text.split("\n").length - 1;
    report.bytes += Buffer.byteLength(text);
    addTo(report.redactions, RedactionReport.parse(readHeader(page, "talaria-redactions")));
    addTo(report.leftOut, Counts.parse(readHeader(page, "talaria-left-out")));
    if (text !== "") yield text;
    path = readNext(page);
  }
}

export function emptyReport(): TrajectoryReport {
  return { lines: 0, bytes: 0, redactions: {}, leftOut: {} };
}

/** Throws errors of the disk, beside those of the pages. An export that fails leaves no file. */
export async function exportTrajectories(
  http: Http,
  path: string,
  { query, onProgress = () => {} }: { query: TrajectoryQuery; onProgress?: (report: TrajectoryReport) => void },
): Promise<TrajectoryReport> {
  // Of this export only: another one may write to the same path now.
  const partial = `${path}.${randomBytes(4).toString("hex")}.partial`;
  const report = emptyReport();
  const file = await open(partial, "wx", 0o600);
  try {
    for await (const text of readTrajectoryPages(http, query, report)) {
      await file.appendFile(text);
      onProgress(report);
    }
    await file.sync();
    await file.close();
    await rename(partial, path);
    return report;
  } catch (error) {
    await file.close();
    await rm(partial, { force: true });
    throw error;
  }
}

function readHeader(page: Response, name: string): unknown {
  return JSON.parse(page.headers.get(name) ?? "{}");
}

/** Only this route: the key goes to no other address. */
function readNext(page: Response): string | null {
  const link = page.headers.get("link");
  if (link === null) return null;
  const path = /^<(\/v1\/trajectories\?[^>]+)>; rel="next"$/.exec(link)?.[1];
  if (path === undefined) throw new ProtocolError("The answer does not say where its next page is.");
  return path;
}

function addTo(sum: Record<string, number>, more: Record<string, number>): void {
  for (const [name, count] of Object.entries(more)) sum[name] = (sum[name] ?? 0) + count;
}
