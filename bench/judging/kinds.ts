// The kind of work of each request, as a model names it: with the prompt and the reader of the call that names a session.
// The bench has no answers, so the model sees the request alone.
import type { Model } from "../../core/agent/contract.ts";
import { toTitleRequest, toWork } from "../../core/session/turn/title.ts";
import { askOnce } from "./ask.ts";

export interface NamedKinds {
  /** By request. Absent: the call failed, or its answer names no kind. */
  kinds: Map<string, string>;
  /** Why calls brought no answer. */
  failures: string[];
}

/** Asks for each distinct request once. `onNamed`: told after each call how many were made. */
export async function nameKinds(
  model: Model,
  requests: readonly string[],
  onNamed: (done: number, of: number) => void,
): Promise<NamedKinds> {
  const kinds = new Map<string, string>();
  const failures: string[] = [];
  const distinct = [...new Set(requests)];
  for (const [n, request] of distinct.entries()) {
    const said = await askOnce(model, { ...toTitleRequest(request, ""), cacheKey: "bench:kinds" });
    const kind = said.ok ? toWork(said.value) : null;
    if (!said.ok) failures.push(`"${request.slice(0, SHOWN_CHARS)}": ${said.failure.message}`);
    if (kind !== null) kinds.set(request, kind);
    onNamed(n + 1, distinct.length);
  }
  return { kinds, failures };
}

const SHOWN_CHARS = 60;
