// Whether a person can answer in this session. Called before a question would be asked.
import type { EngineContext } from "../context.ts";

/** True: nobody can, so what needs an answer is refused at once. Only a chat has a person who reads along. */
export function isUnattended({ host, meta }: EngineContext): boolean {
  return host.isUnattended?.() === true || (meta().kind ?? "chat") !== "chat";
}
