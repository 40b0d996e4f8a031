// What a job's wake gate sees now: the text of a page, or what a shell command prints. Only its fingerprint is kept. Called by carry-run.ts.
import { runShellCheck } from "../../core/checks/shell.ts";
import { type Result, err, ok } from "../../core/errors.ts";
import type { WakeGate } from "../../core/schemas/agenda/job.ts";
import { sha256Hex } from "../../core/schemas/learning/digest.ts";
import type { PageReader } from "../../core/tools/web/page/page-reader.ts";

/** The file that a command finds the page in. */
const PAGE = "page";
const MAX_SHOWN_CHARS = 300;

/**
 * A fingerprint. Failures: `gate_failed`, the command ended with an exit code or did not end; those of `PageReader.read`. An address is under the
 * same policy as those that an agent reads.
 */
export async function lookAtGate(gate: WakeGate, openReader: () => PageReader): Promise<Result<string>> {
  const { url, command } = gate;
  const page = url === undefined ? null : await openReader().read(url, new AbortController().signal);
  if (page && !page.ok) return page;
  const text = page?.value.text ?? "";
  if (command === undefined) return ok(sha256Hex(text));
  const { exitCode, stdout, stderr, stopped } = await runShellCheck({ files: page ? { [PAGE]: text } : {} }, command);
  if (stopped) return err("gate_failed", `The gate's command was stopped: it used too much ${stopped}.`);
  if (exitCode !== 0) {
    const said = stderr.trim().slice(0, MAX_SHOWN_CHARS).toWellFormed();
    return err("gate_failed", `The gate's command ended with exit code ${exitCode}${said === "" ? "" : `: ${said}`}`);
  }
  return ok(sha256Hex(stdout));
}
