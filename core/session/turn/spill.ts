// Where a tool result goes that is too long for a conversation: a file of the session's workspace, named after the place of
// its call, so that a call that is run again writes the same one. Called by the loop. It stays what it was: content.
import { type Result, ok } from "../../errors.ts";
import type { EngineContext } from "../context.ts";

const FOLDER = ".talaria/results";

/** The file's path as the model's tools take it. Failures: those of the workspace, such as `workspace_full`. */
export function spillResult({ workspace }: EngineContext, place: string, text: string): Result<string> {
  const path = `${FOLDER}/${place}.txt`;
  const put = workspace.putAsAgent(path, new TextEncoder().encode(text), "content");
  return put.ok ? ok(put.value.path) : put;
}
