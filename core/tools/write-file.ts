// The tool write_file: one whole file of the workspace, as the agent's own. Writing the same again changes nothing, so a
// crashed call may be repeated.
import * as z from "zod";
import type { Tool } from "../agent/contract.ts";
import { fail, succeed } from "../agent/tool-result.ts";
import type { FileToolOptions } from "./file-tool-options.ts";

const Args = z.strictObject({
  path: z.string().describe("Path of the file, relative to /work. Folders on the way are made."),
  content: z.string().describe("The whole new content. What the file held before is replaced."),
});
type Args = z.infer<typeof Args>;

const DESCRIPTION =
  "Writes a file of the workspace, replacing what it held. To change a few lines of a long file, use terminal (sed -i) " +
  "instead. Files stay for the whole session.";

export function createWriteFile({ workspace }: Pick<FileToolOptions, "workspace">): Tool<Args> {
  return {
    name: "write_file",
    description: DESCRIPTION,
    parameters: Args,
    effect: "keyed",
    async run(args) {
      const written = workspace.putAsAgent(args.path, new TextEncoder().encode(args.content));
      if (!written.ok) return fail(written.failure.code, written.failure.message);
      const { path, size, created } = written.value;
      return succeed({ path, bytes: size, created });
    },
  };
}
