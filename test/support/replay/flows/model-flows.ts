// Flows in which models fail, are cut off or change, and in which the conversation is made shorter.
import type { ModelRequest, Tool } from "../../../../core/agent/contract.ts";
import { succeed } from "../../../../core/agent/tool-result.ts";
import * as z from "zod";
import { err, ok } from "../../../../core/errors.ts";
import { compactionPrompt } from "../../../../core/prompts/compaction.ts";
import type { ScriptedAnswer } from "../../wires/scripted-model.ts";
import { createScriptedModel } from "../../wires/scripted-model.ts";
import { createWords } from "../../session/conversation.ts";
import { must } from "../../session/scripted-session.ts";
import { type WorldOptions, createRecordedWorld } from "../recorded-world.ts";
import { type Flow, done, read, run, say, write } from "./flow.ts";

const busy = { code: "overloaded", message: "No capacity now.", retry: true, fallBack: true };
const spent = {
  model: "scripted:test",
  usage: { input: 7, output: 3, cacheRead: 0, cacheWrite: 0 },
  cost: { usdMicros: 12, source: "provider" as const },
};

/** The keeper's limits, so that a few thousand tokens are too long. */
export const SHORT = { protectFirst: 1, minTailTokens: 1_000, tailShare: 0, minTailMessages: 1 };

export const isSummary = (request: ModelRequest) => request.system === compactionPrompt();

/** Reads one page after another, each with long words of its own or a long result. */
export function readPages({
  steps,
  resultChars,
  textChars,
  refusedChars,
}: {
  steps: number;
  resultChars: number;
  textChars: number;
  refusedChars: number;
}) {
  const tool: Tool = {
    ...{
      name: "read_page",
      description: "Reads a page.",
      parameters: z.strictObject({ page: z.int() }),
      effect: "read",
    },
    run: async ({ page }) => succeed({ page }, { content: { text: createWords(resultChars, page) } }),
  };
  const answer = (request: ModelRequest): ScriptedAnswer => {
    if (isSummary(request)) return { text: "Pages were read.", usage: { input: 50, output: 5 } };
    const chars = JSON.stringify(request.messages).length;
    if (chars > refusedChars)
      return { failure: { code: "context_overflow", message: "prompt is too long", compact: true } };
    const input = Math.round(chars / 8) + 9_000;
    const since = request.messages.findLastIndex(({ role }) => role === "user");
    const last = request.messages.findLast(({ role }) => role === "tool");
    const isOver = since >= 0 && request.messages[since]!.text.startsWith("And");
    const page = last ? Number(/"page":(\d+)/.exec(last.text)?.[1] ?? steps) + 1 : 0;
    if (isOver || page >= steps)
      return { text: `All pages are read. ${createWords(textChars, page)}`, usage: { input } };
    const calls = [{ id: `p${page}`, name: "read_page", args: { page } }];
    return { text: `Now page ${page}. ${createWords(textChars, page).replaceAll(" ", "")}`, calls, usage: { input } };
  };
  return { tool, answer };
}

export const COMPACTIONS = {
  prune: { steps: 6, resultChars: 18_000, textChars: 0, maxTokens: 19_500, refusedChars: Infinity },
  model: { steps: 5, resultChars: 0, textChars: 18_000, maxTokens: 16_000, refusedChars: Infinity },
  overflow: { steps: 4, resultChars: 0, textChars: 18_000, maxTokens: 150_000, refusedChars: 45_000 },
};

export async function openReader(method: keyof typeof COMPACTIONS, options: WorldOptions = {}) {
  const { maxTokens, ...pages } = COMPACTIONS[method];
  const { tool, answer } = readPages(pages);
  const model = createScriptedModel(Array.from({ length: 80 }, () => answer));
  return createRecordedWorld(model, {
    tools: [tool],
    learning: "off",
    settings: { context: { maxTokens, ...SHORT } },
    ...options,
  });
}

/** Answers with a page of words, and with `summary` where the conversation is to be made shorter. */
function createTalker(summary: ScriptedAnswer) {
  const line = (request: ModelRequest): ScriptedAnswer =>
    isSummary(request)
      ? summary
      : {
          text: createWords(1_600, request.messages.length),
          usage: { input: (JSON.stringify(request.messages).length / 4) | 0 },
        };
  return createScriptedModel(Array.from({ length: 90 }, () => line));
}

const failures: Flow[] = [
  {
    title: "model calls that fail, are repeated, cost something, and are empty",
    async record() {
      const world = await createRecordedWorld([
        { failure: busy },
        { text: "Half an ans", failure: { ...busy, spent } },
        run("echo 1"),
        { text: "" },
        { text: "Let me see. ", failure: busy },
        run("echo 2"),
        { failure: { code: "rate_limited", retry: true, rotateKey: true, retryAfterMs: 500 } },
        done,
        ...[{ cut: true, text: "Cut" }, done],
      ]);
      await world.say("Try.");
      await world.say("Again.");
      return world;
    },
  },
  {
    title: "a model that fails and another that answers in its place",
    async record() {
      const other = createScriptedModel([run("echo 2"), done], { name: "scripted:other" });
      const first = createScriptedModel([run("echo 1"), { failure: { ...busy, retry: false } }, say("Here again.")]);
      const world = await createRecordedWorld([], { models: { turn: [first, other] } });
      await world.say("Try.");
      return world;
    },
  },
  {
    title: "a model that breaks off in the middle of its text, and another that answers in its place",
    async record() {
      const other = createScriptedModel([run("echo 2"), done, done], { name: "scripted:other" });
      const first = createScriptedModel([
        run("echo 1"),
        { text: "I beg", failure: { ...busy, retry: false } },
        { failure: { ...busy, retry: false } },
      ]);
      const world = await createRecordedWorld([], { models: { turn: [first, other] } });
      await world.say("Try.");
      await world.say("Again.");
      return world;
    },
  },
  {
    title: "keys that are suspended until one works",
    async record() {
      const refused = { failure: { code: "key_refused", message: "This key is refused.", rotateKey: true } };
      const model = { ...createScriptedModel([refused, refused, run("echo 1"), refused, done]), rotateKey: () => true };
      const world = await createRecordedWorld(model);
      await world.say("Try.");
      return world;
    },
  },
  {
    title: "a turn that waits for its models",
    async record() {
      const world = await createRecordedWorld(
        [run("date > a.txt"), { failure: busy }, run("cat a.txt"), { failure: busy }, done, done],
        {
          settings: { turn: { modelRetries: 0, inlineWaitMs: 1_000, pausesMs: [10_000, 20_000], maxPauseMs: 600_000 } },
        },
      );
      await world.say("Try.");
      await world.drain();
      await world.say("Once more.");
      return world;
    },
  },
  {
    title: "answers that are cut off, and calls in them",
    async record() {
      const world = await createRecordedWorld([
        { ...write("a.txt", "x"), stop: "length" },
        { ...write("a.txt", "y"), text: "In pieces." },
        { text: "A long ans", stop: "length" },
        done,
      ]);
      await world.say("Write.");
      await world.say("Again.");
      return world;
    },
    not: { 1: "not_answered" },
  },
  {
    title: "a turn that uses all its steps",
    async record() {
      const script = [...Array.from({ length: 3 }, (_, i) => run(`echo ${i}`)), say("That is all I got.")];
      const world = await createRecordedWorld(script, { settings: { turn: { maxSteps: 3 } } });
      await world.say("Go.");
      return world;
    },
  },
];

const choices: Flow[] = [
  {
    title: "models, efforts and personalities that the person chooses between turns",
    async record() {
      const script = [run("echo 1"), done];
      const model = createScriptedModel([...script, ...script, ...script, ...script]);
      const other = createScriptedModel([...script, ...script], { name: "anthropic:claude-opus-5" });
      const world = await createRecordedWorld([], {
        withTape(tape) {
          const [mine, its] = [tape.wrap(model), tape.wrap(other)];
          return {
            modelChoices: () => [model.name, other.name],
            models: (_slot, first) =>
              first === undefined || first === model.name
                ? ok([mine])
                : first === other.name
                  ? ok([its, mine])
                  : err("unknown_model", "gone"),
          };
        },
      });
      await world.say("One.");
      must(await world.engine().change({ model: "anthropic:claude-opus-5", effort: "high" }, 0));
      await world.say("Two.");
      must(await world.engine().change({ personality: "teacher" }, 0));
      await world.say("Three.");
      must(await world.engine().change({ model: null, personality: null }, 0));
      await world.say("Four.");
      return world;
    },
  },
  {
    title: "what a client says of how to work, and epochs that begin anew after hours",
    async record() {
      const script = Array.from({ length: 4 }, (_, i) => [run(`echo ${i}; date`), done]).flat();
      const world = await createRecordedWorld(script);
      await world.say({ text: "One.", client: { guidance: "Answer in French." } });
      await world.say({ text: "Two.", client: { guidance: "Answer in Latin." } });
      world.clock.advance(8 * 3_600_000);
      await world.say({ text: "Three.", client: { guidance: "Answer in Latin." } });
      await world.say("/refresh");
      await world.say("Four.");
      return world;
    },
    not: { 4: "not_answered" },
  },
  {
    title: "a model with a small window",
    async record() {
      const model = createScriptedModel(
        [
          read("table.csv"),
          read("table.csv", { offset: 900, limit: 300 }),
          run("cat table.csv"),
          say(createWords(300, 1)),
          run("seq 1 9000"),
          done,
        ],
        { contextWindow: 24_000, isWindowKnown: true },
      );
      const world = await createRecordedWorld(model);
      world.put("table.csv", Array.from({ length: 2_000 }, (_, i) => `${i},north-${i % 7}`).join("\n"));
      await world.say("Read the table.");
      await world.say("Count.");
      return world;
    },
  },
];

const compactions: Flow[] = [
  ...(["prune", "model", "overflow"] as const).map((method): Flow => ({
    title: `a conversation that is made shorter within its turn (${method})`,
    async record() {
      const world = await openReader(method);
      await world.say("Read all pages.");
      await world.say("And what did you read?");
      return world;
    },
  })),
  ...([{ text: "All was said.", usage: { input: 70, output: 7 } }, { text: "" }] as ScriptedAnswer[]).map(
    (summary): Flow => ({
      title: `a conversation that a command makes shorter, ${summary.text === "" ? "without a model" : "by a model"}, and one that is too long before its turn`,
      async record() {
        const world = await createRecordedWorld(createTalker(summary), {
          settings: { context: { maxTokens: 6_000, ...SHORT } },
          learning: "off",
        });
        for (let i = 0; i < 5; i++) await world.say(createWords(1_600, 50 + i));
        await world.say("/compress the words");
        for (let i = 0; i < 6; i++) await world.say(createWords(2_400, 70 + i));
        return world;
      },
      not: { 6: "not_answered" },
    }),
  ),
];

export const modelFlows: Flow[] = [...failures, ...choices, ...compactions];
