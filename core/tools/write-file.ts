// The tool write_file: one whole file of the workspace, as the agent's own. Writing the same again changes nothing, so a
// crashed call may be repeated. A file that instructs the agent is left as it is: the content waits for the person.
import * as z from "zod";
import type { Tool, ToolResult } from "../agent/contract.ts";
import { fail, succeed } from "../agent/tool-result.ts";
import type { ApprovalState } from "../schemas/approval.ts";
import { type FileToolOptions, placeOf } from "./file-tool-options.ts";

const Args = z.strictObject({
  path: z.string().describe("Path of the file, relative to /work. Folders on the way are made."),
  content: z.string().describe("The whole new content. What the file held before is replaced."),
});
type Args = z.infer<typeof Args>;

const DESCRIPTION =
  "Writes a file of the workspace, replacing what it held. To change a few lines of a long file, use terminal (sed -i) " +
  "instead. Files stay for the whole session. AGENTS.md, SOUL.md and their like at the root change only when the person " +
  "approves: the call then says so, and the work goes on without it.";

type Options = Pick<FileToolOptions, "workspace" | "approvals" | "isTainted" | "budget">;

export function createWriteFile({ workspace, approvals, isTainted, budget }: Options): Tool<Args> {
  return {
    name: "write_file",
    description: DESCRIPTION,
    parameters: Args,
    effect: "keyed",
    paths: ({ path }) => ({ reads: [], writes: [placeOf(workspace, path)] }),
    async run(args, { op }) {
      // The path too was chosen by somebody.
      const writer = isTainted?.(`${args.path}\n${args.content}`) ? "content" : "own";
      const written = workspace.putAsAgent(args.path, new TextEncoder().encode(args.content), writer, budget);
      if (!written.ok && written.failure.code === "approval_needed") {
        return askPerson(args, op, { workspace, approvals });
      }
      if (!written.ok) return fail(written.failure.code, written.failure.message);
      const { path, size, created } = written.value;
      return succeed({ path, bytes: size, created });
    },
  };
}

function askPerson(
  { path, content }: Args,
  op: string,
  { workspace, approvals }: Pick<Options, "workspace" | "approvals">,
): ToolResult {
  const place = placeOf(workspace, path);
  if (!workspace.isInstructionFile(place)) {
    return fail("bad_path", `'${place}' leads to a file that instructs you: name that file itself.`);
  }
  const bytes = new TextEncoder().encode(content);
  const before = workspace.lookAt(place)?.writer === "principal" ? workspace.read(place) : null;
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

const NEXT: Record<ApprovalState, string> = {
  waiting:
    "The file is as it was: it instructs you, so the person decides on this content first. Tell them that it waits and go " +
    "on with the rest; a note tells you what they decided. Do not try another way.",
  approved: "The person approved this content: the file holds it.",
  refused: "The person refused this content: the file is as it was.",
  replaced: "You asked for another content of this file since: that one waits for the person.",
};
