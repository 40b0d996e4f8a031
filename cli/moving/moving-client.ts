// The calls of export and import, and how they go on when the server cannot be reached for a while. Used by export-profile.ts and
// import-profile.ts.
import { BegunExport, CommittedImport, ImportInfo, SealedManifest } from "../../core/schemas/moving/manifest.ts";
import type { CommitPlace } from "../../core/schemas/moving/manifest.ts";
import { ProblemError, UnreachableError, createHttp } from "../connection/http.ts";
import { fillRoute } from "../connection/routes.ts";
import { createCall, createSend } from "../connection/typed-call.ts";

export interface MovingOptions {
  url: string;
  /** With the scope `admin`. */
  key: string;
  isOwn?: boolean;
  /** How long the server may be out of reach. Default: two minutes. */
  patienceMs?: number;
}

export interface ExportedPart {
  body: Uint8Array<ArrayBuffer>;
  receipt: string;
  /** `""`: it was the last one. */
  next: string;
}

const PATIENCE_MS = 120_000;
const RETRY_MS = 500;
const REQUEST_MS = 300_000;
/** Codes of a server that is restarting or has too much to do. */
const PASSING = ["busy", "platform_busy", "workers_away"];

export type MovingClient = ReturnType<typeof createMovingClient>;

/** Each call is idempotent, so it is repeated after a lost connection and after a refusal that passes. Throws ProblemError, UnreachableError. */
export function createMovingClient(options: MovingOptions) {
  const http = createHttp(options);
  const [call, sendTo] = [createCall(http), createSend(http)];
  const patient = <T>(work: () => Promise<T>) => retry(work, options.patienceMs ?? PATIENCE_MS);
  const signal = () => AbortSignal.timeout(REQUEST_MS);
  return {
    beginExport: () => patient(() => call(BegunExport, "POST /v1/export")),
    readPart: (id: string, from: string): Promise<ExportedPart> =>
      patient(async () => {
        const query = { from: from === "" ? undefined : from };
        const [method, path] = fillRoute("GET /v1/export/{export}/part", { params: { export: id }, query });
        const response = await http.send(method, path, { signal: signal() });
        const body = new Uint8Array(await response.arrayBuffer().catch(toUnreachable));
        return {
          body,
          receipt: response.headers.get("talaria-receipt") ?? "",
          next: response.headers.get("talaria-next") ?? "",
        };
      }),
    seal: (id: string, receipts: string[]) =>
      patient(() =>
        call(SealedManifest, "POST /v1/export/{export}/manifest", {
          params: { export: id },
          body: { receipts },
          signal: signal(),
        }),
      ),
    beginImport: (sealed: SealedManifest) =>
      patient(() => call(ImportInfo, "POST /v1/import", { body: sealed, signal: signal() })),
    putPart: (sha256: string, body: Uint8Array<ArrayBuffer>) =>
      patient(async () => {
        const [method, path] = fillRoute("PUT /v1/import/parts/{part}", { params: { part: sha256 } });
        await http.send(method, path, { body, signal: signal() });
      }),
    commit: (from: CommitPlace | undefined) =>
      patient(() => call(CommittedImport, "POST /v1/import/commit", { body: { from }, signal: signal() })),
    discard: () => patient(() => sendTo("DELETE /v1/import")),
  };
}

/** Repeats what the server may answer later. */
export async function retry<T>(work: () => Promise<T>, patienceMs: number): Promise<T> {
  const until = Date.now() + patienceMs;
  for (let wait = RETRY_MS; ; wait = Math.min(wait * 2, 10 * RETRY_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!mayPass(error) || Date.now() + wait > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}

/** A missing configuration does not pass by waiting. */
function mayPass(error: unknown): boolean {
  if (error instanceof UnreachableError) return true;
  if (!(error instanceof ProblemError)) return false;
  const { status, code } = error.problem;
  return status === 429 || PASSING.includes(code);
}

function toUnreachable(cause: unknown): never {
  throw new UnreachableError("The connection broke while a part was being read.", { cause });
}
