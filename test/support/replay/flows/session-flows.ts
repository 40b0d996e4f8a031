// Flows of whole sessions: messages that wait or interrupt, branches, turns that were taken back, sessions of jobs, crashes.
import { copyBranch } from "../../../../core/session/branch/copy-branch.ts";
import { createRehearsalModel } from "../../../../core/models/rehearsal.ts";
import type { ModelRequest } from "../../../../core/agent/contract.ts";
import type { ScriptedAnswer } from "../../wires/scripted-model.ts";
import { toSourcedText } from "../../../../core/session/turn/input-parts.ts";
import type { ChildTask } from "../../../../core/schemas/sessions/delegation.ts";
import { SESSION } from "../../session/session-harness.ts";
import { must } from "../../session/scripted-session.ts";
import { createScriptedModel } from "../../wires/scripted-model.ts";
import { createRecordedWorld } from "../recorded-world.ts";
import { type Flow, call, done, read, run, say, write } from "./flow.ts";

const BRANCH = "01J00000000000000000000001";

function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { promise, open: resolve };
}

/** The n-th answer since the message, so that a repeated call is answered the same. */
export function answerBySteps(steps: ScriptedAnswer[], last = done) {
  const line = ({ messages }: ModelRequest): ScriptedAnswer => {
    const since = messages.findLastIndex(({ role, text }) => role === "user" && !text.startsWith("<note>"));
    const nth = messages.slice(since).filter(({ role }) => role === "assistant").length;
    const answer = steps[nth] ?? last;
    return { ...answer, calls: (answer.calls ?? []).map((one, i) => ({ id: `c${messages.length}-${i}`, ...one })) };
  };
  return createScriptedModel(Array.from({ length: 400 }, () => line));
}

export const sessionFlows: Flow[] = [
  {
    title: "messages that wait, and one that interrupts",
    async record() {
      const [held, longer] = [gate(), gate()];
      const world = await createRecordedWorld([
        { ...run("echo 1 > a.txt"), until: held.promise },
        done,
        ...[run("cat a.txt; echo 2 >> a.txt"), done],
        ...[run("cat a.txt"), { ...run("echo 3 >> a.txt"), until: longer.promise }],
        ...[run("cat a.txt"), done],
        ...[run("cat a.txt"), done],
      ]);
      const { engine } = world.life();
      must(await engine.post({ text: "One." }));
      must(await engine.post({ text: "Two.", busy: "queue" }));
      held.open();
      await world.settle();
      must(await engine.post({ text: "Three." }));
      for (let tick = 0; tick < 2_000; tick++) await Promise.resolve();
      must(await engine.post({ text: "Four.", busy: "interrupt" }));
      longer.open();
      await world.settle();
      await world.say("Five.");
      return world;
    },
    not: { 3: "not_answered" },
  },
  {
    title: "a turn into which a message was put, and the turn after it",
    async record() {
      const held = gate();
      const world = await createRecordedWorld([{ ...run("echo 1"), until: held.promise }, done, run("echo 2"), done]);
      const { engine } = world.life();
      must(await engine.post({ text: "One." }));
      must(await engine.post({ text: "In French, please.", busy: "steer" }));
      held.open();
      await world.settle();
      await world.say("Two.");
      return world;
    },
    not: { 1: "steered", 2: "steered" },
  },
  {
    title: "turns that were taken back, and those after them",
    async record() {
      const world = await createRecordedWorld([
        ...[write("a.txt", "one"), call("todo", { todos: [{ id: "1", content: "A", status: "pending" }] }), done],
        ...[write("a.txt", "two"), call("todo", { todos: [{ id: "2", content: "B", status: "pending" }] }), done],
        ...[run("cat a.txt"), call("todo"), done],
        ...[read("a.txt"), done],
      ]);
      await world.say("One.");
      await world.say("Two.");
      await world.say("/undo");
      await world.say("Three.");
      await world.say("/rollback");
      await world.say("Four.");
      return world;
    },
    not: { 2: "not_ended", 3: "not_answered", 5: "not_answered" },
  },
  {
    title: "a branch, its own turns and those that it has from its session",
    async record() {
      const source = await createRecordedWorld([...[write("a.txt", "one"), done], ...[write("a.txt", "two"), done]]);
      await source.say("One.");
      await source.say("Two.");
      const plan = must(source.engine().planBranch({ session: BRANCH, at: 5_000, turn: 1 }));
      const world = await createRecordedWorld(
        [...[run("cat a.txt; echo x >> a.txt"), done], ...[run("cat a.txt"), done]],
        {
          session: BRANCH,
          clock: source.clock,
          begin: (engine) =>
            copyBranch(
              { readBranch: async (...asked) => source.engine().readBranch(...asked) },
              { takeBranch: (...asked) => engine.takeBranch(...asked) },
              plan,
            ),
        },
      );
      await world.say("Another way.");
      await world.say("And on.");
      return world;
    },
    not: { 1: "copied" },
  },
  {
    title: "a session of a job, with what other jobs have said",
    async record() {
      const world = await createRecordedWorld([...[run("echo 1 > a.txt"), done], ...[run("cat a.txt"), done]], {
        kind: "job",
      });
      await world.say(
        toSourcedText([
          { source: "content", text: "Another job said: 7." },
          { source: "principal", text: "Write it." },
        ]),
      );
      await world.say({ text: "Again.", channel: { chat: "job:1", source: "content" } });
      return world;
    },
  },
  {
    title: "a session that another one began",
    async record() {
      const task: ChildTask = {
        ...{ v: 1, parent: SESSION, title: "Count", text: "Count the words.", source: "own", learning: "on", depth: 1 },
        ...{ budget: { tokens: 0, usdMicros: 0 }, createdAt: 5_000 },
      } as ChildTask;
      const world = await createRecordedWorld([run("echo 1 2 3 > a.txt; wc -w a.txt"), call("todo"), say("Three.")], {
        session: BRANCH,
        begin: async (engine) => must(await engine.beginChild(task)),
      });
      await world.drain();
      return world;
    },
  },
  {
    title: "commands and words that are sent while a turn waits",
    async record() {
      const ask = call("clarify", { question: "Which?", choices: ["A", "B"] });
      const world = await createRecordedWorld([write("a.txt", "1"), ask, run("cat a.txt"), done, run("echo 2"), done]);
      await world.say("Set it up.");
      await world.say("/answer 2");
      await world.say("Thanks.");
      return world;
    },
    not: { 2: "steered" },
  },
  {
    title: "rehearsal, which tries how a file is written",
    async record() {
      const world = await createRecordedWorld(createRehearsalModel());
      const rows = Array.from(
        { length: 30 },
        (_, i) => `2026-01-${String(i + 1).padStart(2, "0")};${i},5;${i % 3 === 0 ? "n/a" : i}`,
      );
      world.put("rain.csv", ["day;mm;other", ...rows].join("\n"));
      await world.say("What is the mean of `mm` in `rain.csv`?");
      await world.say("What is the sum of `other` in `rain.csv`?");
      await world.say("Thank you.");
      return world;
    },
  },
  {
    title: "a turn that goes on as long as a person watches",
    async record() {
      const world = await createRecordedWorld([...Array.from({ length: 8 }, () => read("nothing.txt")), done, done]);
      const { engine } = world.life();
      const watched = must(await engine.postAndRead({ text: "Find it." }));
      await world.settle();
      await watched.events.cancel();
      await world.say("Thanks.");
      return world;
    },
  },
  {
    title: "notices of the session between turns",
    async record() {
      const world = await createRecordedWorld([...[run("echo 1"), done], say("Two."), say("Three.")]);
      await world.say("One.");
      await world.say("/rollback");
      await world.say("Two.");
      await world.say("/nonesuch");
      return world;
    },
    not: { 2: "not_answered", 4: "not_answered" },
  },
];
