// Requests a change of an instruction file, which only the person may make: the new content waits for their decision. Called by
// write_file and patch.
import type { ToolResult } from "../../agent/contract.ts";
import { fail, succeed } from "../../agent/tool-result.ts";
import type { FileState } from "../../schemas/approvals/approval.ts";
import { type FileToolOptions, canonicalPath } from "./file-tool-options.ts";

/** `content`: the whole file as it would be. Idempotent by `op`. */
export function askPerson(
  { path, content }: { path: string; content: string },
  op: string,
  { workspace, approvals }: Pick<FileToolOptions, "workspace" | "approvals">,
): ToolResult {
  const place = canonicalPath(workspace, path);
  if (!workspace.isInstructionFile(place)) {
    return fail("bad_path", `'${place}' leads to a file that instructs you: name that file itself.`);
  }
  const bytes = new TextEncoder().encode(content);
  const before = workspace.statFile(place)?.writer === "principal" ? workspace.read(place) : null;
  if (before && new TextDecoder().decode(before) === content) {
    return succeed({ path: place, bytes: bytes.length, created: false });
  }
  if (!approvals) {
    return fail(
      "not_permitted",
      `'${place}' instructs you: only the person may write it. Tell them what it should say.`,
    );
  }
  const parked = approvals.park({ op, path: place, content });
  if (!parked.ok) return fail(parked.failure.code, parked.failure.message);
  const { id, state } = parked.value;
  return succeed({ code: "approval_needed", approval: id, state, path: place, bytes: bytes.length, next: NEXT[state] });
}

const NEXT: Record<FileState, string> = {
  waiting:
    "The file is as it was: it instructs you, so the person decides on this content first. Tell them that it waits and go " +
    "on with the rest; a note tells you what they decided. Do not try another way.",
  approved: "The person approved this content: the file holds it.",
  refused: "The person refused this content: the file is as it was.",
  replaced: "You have since requested other content for this file: that request waits for the person.",
};
