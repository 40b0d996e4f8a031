// Lets a model name each request's kind of work, with the product's prompt and parser for session titles. The bench has no
// answers, so the model sees only the request.
import type { Model } from "../../core/agent/contract.ts";
import { toTitleRequest, toWork } from "../../core/session/turn/title.ts";
import { askOnce } from "./ask.ts";

export interface NamedKinds {
  /** By request. A request is absent if its call failed or the answer names no kind. */
  kinds: Map<string, string>;
  /** One line per failed call. */
  failures: string[];
}

/** Asks once for each distinct request. `onNamed` is called after each call with the number of calls so far. */
export async function nameKinds(
  model: Model,
  requests: readonly string[],
  onNamed: (done: number, of: number) => void,
): Promise<NamedKinds> {
  const kinds = new Map<string, string>();
  const failures: string[] = [];
  const distinct = [...new Set(requests)];
  for (const [n, request] of distinct.entries()) {
    const answer = await askOnce(model, { ...toTitleRequest(request, ""), cacheKey: "bench:kinds" });
    const kind = answer.ok ? toWork(answer.value) : null;
    if (!answer.ok) failures.push(`"${request.slice(0, SHOWN_CHARS)}": ${answer.failure.message}`);
    if (kind !== null) kinds.set(request, kind);
    onNamed(n + 1, distinct.length);
  }
  return { kinds, failures };
}

const SHOWN_CHARS = 60;
