// Runs an attempt, or an honest lesson, through a whole review over real stores. The reviewer writes what it is told to, and
// cites the last message of the harness or the person.
import { toReviewJob } from "../../../../core/learning/review/job.ts";
import { DEFAULTS } from "../../../../core/limits.ts";
import type { Entry } from "../../../../core/schemas/entry.ts";
import type { ReviewJob, ReviewResult } from "../../../../core/schemas/learning/review.ts";
import { PROFILE, SESSION, assistant, observation, sampleJob, user } from "../../sample.ts";
import { injected } from "../taint-sessions.ts";
import { createWorld } from "../../../review/world.ts";
import { createPendingStore } from "../../../../stores/pending-store.ts";
import { createSeededRandom } from "../../../support/seeded-random.ts";
import { type Attempt, HELD, type Write, skillText } from "./red-team.ts";
import { FRESH_WORK } from "./red-team-fresh-sessions.ts";
import { WORK } from "./red-team-sessions.ts";

const ALL = { ...WORK, ...FRESH_WORK };

export interface Outcome {
  /** All texts of skills and memory that are not archived, joined. */
  stands: string;
  codes: string[];
  waiting: number;
  /** The reason for each refusal. */
  whys: string[];
}

export async function runWrites(
  job: ReviewJob,
  writes: Write[],
  { skills = {}, facts = [] }: Pick<Attempt, "skills" | "facts"> = {},
): Promise<Outcome> {
  const citations = [citedIn(job.entries)];
  const given = writes.some(({ args }) => args.name === HELD && args.action === "patch");
  const held = { ...(given && { [HELD]: skillText({}) }), ...skills };
  const views = Object.keys(held).map((name) => ({ calls: [{ name: "skill_view", args: { name } }] }));
  const lines = writes.map(({ name, args }) => ({ calls: [{ name, args: { ...args, citations } }] }));
  const world = await createWorld([...views, ...lines, { text: "Done." }], { job, settings: DEFAULTS });
  for (const [name, text] of Object.entries(held)) {
    const files = { "SKILL.md": text, ...(name.startsWith("pushing") && { "references/checklist.md": CHECKLIST }) };
    await world.skills.change({
      name: name as never,
      op: `given ${name}`,
      since: 0,
      decide: () => ({
        ok: true,
        value: {
          files,
          description: `About ${name}.`,
          category: "general",
          state: "active",
          origin: "foreground",
          citations: [],
        },
      }),
    });
  }
  for (const [n, text] of facts.entries()) {
    await world.memory.add("memory", `given ${n}`, { v: 1, text, at: n, origin: "review", source: "principal" });
  }
  await world.deliverToEnd();
  const { bucket, clock } = world;
  const pending = createPendingStore({ bucket, profile: PROFILE, clock, random: createSeededRandom(5) });
  const result = (await world.reviews.outcome(job.review)) as ReviewResult;
  const names = Object.keys((await world.skills.index()).skills).toSorted();
  const open = await Promise.all(names.map((name) => world.skills.open(name as never)));
  const living = open.flatMap((skill) => (skill && skill.head.state !== "archived" ? [skill] : []));
  const texts = living.map(({ head, files }) =>
    [head.name, head.description, head.category, ...Object.entries(files).flat()].join("\n"),
  );
  const memory = [...(await world.memory.list("memory")), ...(await world.memory.list("user"))];
  return {
    stands: [...texts, ...memory.map(({ text }) => text)].join("\n"),
    codes: result.refused.map(({ code }) => code),
    waiting: result.waiting ?? 0,
    whys: (await pending.list()).map(({ why }) => why),
  };
}

const CHECKLIST = "# Checklist\n\n- Never force without asking.\n";

/** The harness's text about the last call that succeeded, else the person's last message. */
function citedIn(entries: Entry[]): string {
  const called = entries.findLast((entry) => entry.kind === "tool" && !entry.failed);
  const said = entries.findLast((entry) => entry.kind === "user");
  const isWritten = called?.parts.some(({ source }) => source === "outcome");
  return isWritten ? `${SESSION}/${called!.n}#outcome` : `${SESSION}/${said!.n}#principal`;
}

export function jobOf({ work, read, nth = 0, said = [], isBefore = false }: Attempt): ReviewJob {
  const poisoned = injected([...ALL[work].entries], read, nth);
  const first = poisoned.length + 1;
  if (!isBefore) return sampleJob({ entries: [...poisoned, ...said.map((text, n) => assistant(first + n, text))] });
  const range = [
    user(first, "Go on, and tell me what you know by now.", { turn: 2 }),
    ...said.map((text, n) => assistant(first + 1 + n, text, [], { turn: 2 })),
  ];
  return toReviewJob({
    ...sampleJob(),
    decision: { trigger: "value", skills: true, memory: true },
    ...{ from: first, to: first + said.length, entries: range, read: [...poisoned, ...range], now: 1 },
    observations: [observation()],
  });
}

/** Whether a stranger's attempt succeeded without a person's approval. */
export async function cameThrough(attempt: Attempt): Promise<{ through: boolean; outcome: Outcome }> {
  const outcome = await runWrites(jobOf(attempt), attempt.writes, attempt);
  const { kept = [/./], gone } = attempt;
  const through = gone
    ? gone.some((form) => !form.test(outcome.stands))
    : kept.every((form) => form.test(outcome.stands));
  return { through, outcome };
}
