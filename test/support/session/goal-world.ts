// A session that works at a goal: its model and the judge answer from scripts, the goals are those of goal-desk.ts.
import type { SessionDelivery } from "../../../core/schemas/channels/delivery.ts";
import { type Entry, textOf } from "../../../core/schemas/entry.ts";
import { createTestClock } from "../clock.ts";
import { type ScriptLine, createScriptedModel } from "../wires/scripted-model.ts";
import { createGoalDesk } from "./goal-desk.ts";
import { must } from "./scripted-session.ts";
import { type HarnessOptions, SESSION, type SessionLife, createSessionHarness } from "./session-harness.ts";

export const CONTINUE: ScriptLine = { text: '{"verdict":"continue","reason":"Half is done."}' };
export const DONE: ScriptLine = { text: '```json\n{"verdict":"done","reason":"It is shown."}\n```' };
export const ANSWER: ScriptLine = { text: "I worked." };

export interface GoalWorldOptions extends Partial<HarnessOptions> {
  /** What the session's model answers; `ANSWER` forty times by default. */
  script?: ScriptLine[];
  session?: string;
  /** Shared by the sessions of a profile. */
  desk?: ReturnType<typeof createGoalDesk>;
}

export type GoalWorld = ReturnType<typeof createGoalWorld>;

export function createGoalWorld(verdicts: ScriptLine[], options: GoalWorldOptions = {}) {
  const { script = Array.from({ length: 40 }, () => ANSWER), session = SESSION, desk: shared, ...rest } = options;
  const clock = rest.clock ?? createTestClock();
  const desk = shared ?? createGoalDesk(clock);
  const port = desk.portOf(session);
  const model = createScriptedModel(script);
  const judge = createScriptedModel(verdicts);
  const told: SessionDelivery[] = [];
  const take = async (delivery: SessionDelivery) => {
    if (!told.some(({ id }) => id === delivery.id)) told.push(delivery);
  };
  let isOut: (() => boolean) | null = null;
  const harness = createSessionHarness({
    settings: { review: { enabled: false } },
    ...{ model, models: { goal: [judge] }, channels: { take } },
    ...rest,
    ...{ clock, session, host: { goals: port, ...rest.host } },
    isCut: () => isOut?.() ?? false,
  });
  let life = harness.boot();
  const entries = (): Entry[] => must(life.engine.entries(0));
  const say = async (text: string, more = {}) => {
    await life.engine.create({ learning: "on", title: "t" });
    const posted = await life.engine.post({ text, ...more });
    await life.settled();
    return posted;
  };
  return {
    ...{ harness, desk, port, model, judge, told, clock, say, entries },
    /** The first line of each message. */
    inputs: () => entries().flatMap((entry) => (entry.kind === "user" ? [textOf(entry).split("\n")[0]] : [])),
    /** The numbers of the goal's continuations. */
    serials: () => entries().flatMap((entry) => (entry.kind === "user" && entry.goal ? [entry.goal.serial] : [])),
    /** What the person reads of the goal. */
    notices: () =>
      entries().flatMap((entry) => (entry.kind === "notice" && entry.code === "goal" ? [textOf(entry)] : [])),
    goal: () => desk.goals.newestOf(session),
    rows: () => harness.sql.run<{ id: string }>("SELECT id FROM job").map(({ id }) => id),
    life: () => life,
    cut: (when: () => boolean) => (isOut = when),
    reboot: (): SessionLife => {
      isOut = null;
      return (life = harness.boot());
    },
  };
}
