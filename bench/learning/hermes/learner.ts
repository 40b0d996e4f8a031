// Hermes Agent's way of learning, over the product's sessions and stores. It counts model calls and turns, starts a review when a
// counter reaches its limit, and curates between sessions. run-stream.ts calls it in place of the product's reviews.
import { readOutcome } from "../../../core/agent/tool-result.ts";
import { defaultGrant, toReviewJob } from "../../../core/learning/review/job.ts";
import { renderTranscript } from "../../../core/learning/review/transcript.ts";
import type { Model } from "../../../core/agent/contract.ts";
import { textOf } from "../../../core/schemas/entry.ts";
import type { ProfileId } from "../../../core/schemas/ids.ts";
import type { Settings } from "../../../core/schemas/settings.ts";
import { createLibrary } from "../../../core/skills/library.ts";
import { seeds } from "../../../skills-seed/index.ts";
import type { Platform, OpenSession, ProfileStores } from "../platform/platform.ts";
import type { RunRecord } from "../report/records.ts";
import { readEntries } from "../platform/session-entries.ts";
import { createHermesCurator } from "./curator.ts";
import { runHermesReview } from "./review.ts";
import { type Counters, type Telemetry, countTurn, newTelemetry, choosePrompt } from "./rules.ts";

export interface HermesLearner {
  afterTurn(session: OpenSession): Promise<void>;
  idle(): Promise<void>;
  reviews(): RunRecord["reviews"];
}

export function createHermes(options: {
  platform: Pick<Platform, "clock">;
  stores: ProfileStores;
  profile: ProfileId;
  model: Model;
  settings: Settings;
}): HermesLearner {
  const { platform, stores, profile, model, settings } = options;
  const telemetry = new Map<string, Telemetry>();
  const now = () => platform.clock.now();
  const shelf = { skills: stores.skills, telemetry, now, bundled: new Set(Object.keys(seeds)) };
  const curator = createHermesCurator(shelf);
  const counters = new Map<string, Counters>();
  const counts: RunRecord["reviews"] = { owed: 0, done: 0, dead: 0, tokens: 0, each: [], modelCalls: 0, byTrigger: {} };

  return {
    reviews: () => counts,
    idle: () => curator.idle(),
    async afterTurn(session) {
      const all = readEntries(session);
      const turn = all.at(-1)?.turn ?? 0;
      const entries = all.filter((entry) => entry.turn === turn);
      countUses(entries);
      const last = entries.findLast((entry) => entry.kind === "assistant");
      const counted = countTurn(counters.get(session.id) ?? { sinceSkill: 0, sinceMemory: 0 }, {
        modelCalls: entries.filter((entry) => entry.kind === "assistant").length,
        tools: entries.flatMap((entry) => (entry.kind === "tool" ? [entry.call.name] : [])),
        finalResponse: last ? textOf(last) : "",
        interrupted: false,
      });
      counters.set(session.id, counted.counters);
      const kind = choosePrompt(counted);
      if (!kind) return;
      counts.owed += 1;
      counts.byTrigger[kind] = (counts.byTrigger[kind] ?? 0) + 1;
      // The whole conversation: Hermes reviews with the session's model, whose prompt cache holds it.
      const job = toReviewJob({
        profile,
        session: session.id,
        decision: { trigger: "model_calls", skills: true, memory: true },
        from: 1,
        to: all.at(-1)!.n,
        entries: all,
        observations: [],
        model: model.name,
        grant: defaultGrant(settings, now()),
        now: now(),
      });
      const end = await runHermesReview({
        id: `${session.id}-${turn}`,
        kind,
        transcript: renderTranscript(job),
        shelf,
        library: createLibrary({ store: stores.skills, seeds }),
        memory: stores.memory,
        model,
        settings,
      });
      counts.done += 1;
      counts.tokens += end.tokens;
      counts.each.push(end.tokens);
      counts.modelCalls += end.modelCalls;
    },
  };

  function countUses(entries: ReturnType<typeof readEntries>): void {
    for (const entry of entries) {
      if (entry.kind !== "tool" || entry.call.name !== "skill_view" || entry.failed) continue;
      const name = String(readOutcome(entry).name);
      const known = telemetry.get(name) ?? newTelemetry(null, now());
      telemetry.set(name, known);
      known.useCount += 1;
      known.viewCount += 1;
      known.lastUsedAt = known.lastViewedAt = now();
    }
  }
}
