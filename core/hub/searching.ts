// Searches all sources at the same time. Called by workers/api/hub. A source that fails is named, and hides no other.
import { type Result, messageOf, ok } from "../errors.ts";
import { HUB_SOURCES, type HubSourceName } from "../schemas/hub/lock.ts";
import { type HubDesk, openSource } from "./desk.ts";
import type { HubHit } from "./source.ts";

export interface FoundHits {
  hits: HubHit[];
  failed: { source: HubSourceName; code: string; message: string }[];
}

/** Failure: `hub_source_off`, for a named source. */
export async function searchSources(
  desk: Pick<HubDesk, "sources" | "signal">,
  { query, source, limit }: { query: string; source?: HubSourceName | undefined; limit: number },
): Promise<Result<FoundHits>> {
  if (source !== undefined) {
    const opened = openSource(desk, source);
    if (!opened.ok) return opened;
  }
  const asked = HUB_SOURCES.filter((name) => desk.sources[name] && (source === undefined || name === source));
  const answers = await Promise.all(asked.map(async (name) => ({ name, answer: await ask(name) })));
  async function ask(name: HubSourceName): Promise<Result<HubHit[]>> {
    try {
      return await desk.sources[name]!.search(query, { limit, signal: desk.signal });
    } catch (thrown) {
      return { ok: false, failure: { code: "hub_unreachable", message: messageOf(thrown) } };
    }
  }
  const hits = answers.flatMap(({ answer }) => (answer.ok ? answer.value.slice(0, limit) : []));
  const failed = answers.flatMap(({ name, answer }) =>
    answer.ok ? [] : [{ source: name, code: answer.failure.code, message: answer.failure.message }],
  );
  return ok({ hits, failed });
}
