// Writes a tool result that is too long for the conversation into a file of the session's workspace. The file is named after
// the place of its call, so a repeated call writes the same file. Called by the loop. The file's source is `content`, unless the caller knows better.
import { type Result, ok } from "../../../errors.ts";
import type { EngineContext } from "../../context.ts";

const RESULTS_FOLDER = ".talaria/results";
/** The paths of such files in a text. */
export const SPILLED_PATHS = /\.talaria\/results\/[\w-]+\.txt/g;

/** The file's path, in the form that tools accept. Failures: those of the workspace, such as `workspace_full`. */
export function spillResult(
  { workspace }: EngineContext,
  place: string,
  text: string,
  source: "own" | "content" = "content",
): Result<string> {
  const path = toSpilledPath(place);
  const put = workspace.putAsAgent(path, new TextEncoder().encode(text), source);
  return put.ok ? ok(put.value.path) : put;
}

/** In the form that the workspace accepts. */
export function toSpilledPath(place: string): string {
  return `${RESULTS_FOLDER}/${place}.txt`;
}
