// Sessions made from a seed: turns with work of every kind, what the owner does between them, and crashes within them. The answers of the model
// depend on the message and on how often it has answered since, so that what an object asked twice is answered alike.
import type { Random } from "../../../core/ports.ts";
import { createWords } from "../session/conversation.ts";
import { must } from "../session/scripted-session.ts";
import { createSeededRandom } from "../seeded-random.ts";
import { createScriptedModel, type ScriptedAnswer } from "../wires/scripted-model.ts";
import { createOracle } from "./flows/crash-flows.ts";
import { call, code, read, run, say, together, write } from "./flows/flow.ts";
import { putSkill } from "./flows/reading-flows.ts";
import { sandbox } from "./flows/workspace-flows.ts";
import { isSummary } from "./flows/model-flows.ts";
import { type RecordedWorld, createRecordedWorld } from "./recorded-world.ts";

const TURNS = 5;
const FILES = ["a.txt", "b.txt", "d/c.txt", "d/e/f.md", ".hidden", "data.csv"];
const MAX_STEPS = 5;
const MAX_POINT = 45;

export interface RandomFlow {
  world: RecordedWorld;
  /** What was done, in order: for a person who looks for the reason of a failure. */
  did: string[];
}

export async function recordRandomFlow(seed: number): Promise<RandomFlow> {
  const random = createSeededRandom(seed);
  const did: string[] = [];
  const script = new Map<string, ScriptedAnswer[]>();
  const world = await createRecordedWorld(createAnswerer(script), {
    tools: [createOracle()],
    sandbox: sandbox(),
    learning: chance(random, 0.7) ? "on" : "off",
    ...(chance(random, 0.1) && { kind: "job" as const }),
    settings: { turn: { maxResultChars: 6_000, maxTurnResultChars: pick(random, [8_000, 100_000]), modelRetries: 2 } },
  });
  for (let turn = 1; turn <= TURNS; turn++) {
    did.push(await actAsOwner(world, random));
    const text = `Turn ${turn}${chance(random, 0.2) ? ` ${createWords(900, turn)}` : ""}.`;
    const steps = Array.from({ length: Math.floor(random() * MAX_STEPS) }, () => inventStep(random, did));
    script.set(text, steps);
    did.push(`turn ${turn}: ${steps.map(({ calls = [] }) => calls.map(({ name }) => name).join("+")).join(" ")}`);
    if (!chance(random, 0.35)) await world.say(text);
    else {
      const points = Array.from({ length: chance(random, 0.3) ? 2 : 1 }, () => 1 + Math.floor(random() * MAX_POINT));
      did.push(`crash at ${points.join(", ")}: ${await world.sayAndCrash(text, points)}`);
    }
    await world.drain();
  }
  return { world, did };
}

function createAnswerer(script: ReadonlyMap<string, ScriptedAnswer[]>) {
  const failed = new Set<string>();
  const line = (request: Parameters<typeof isSummary>[0]): ScriptedAnswer => {
    if (isSummary(request)) return { text: "They worked on files." };
    const { messages } = request;
    const since = messages.findLastIndex(({ role, text }) => role === "user" && script.has(text));
    const nth = messages.slice(since + 1).filter(({ role }) => role === "assistant").length;
    const step = script.get(messages[since]?.text ?? "")?.[nth] ?? say(`All of it is done: ${messages.length}.`);
    const place = `${messages.length} ${nth}`;
    if (step.failure && !failed.has(place)) {
      failed.add(place);
      return { text: step.text ?? "", failure: step.failure };
    }
    const { failure: _, ...answer } = step;
    return { ...answer, calls: (answer.calls ?? []).map((one, i) => ({ ...one, id: `c${messages.length}-${i}` })) };
  };
  return createScriptedModel(Array.from({ length: 2_000 }, () => line));
}

const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
const chance = (random: Random, share: number): boolean => random() < share;

function inventStep(random: Random, did: string[]): ScriptedAnswer {
  const step = chance(random, 0.2)
    ? together(inventCall(random), inventCall(random), inventCall(random))
    : inventCall(random);
  const text = chance(random, 0.3) ? `Now ${did.length}. ` : "";
  const failure = chance(random, 0.12) && {
    code: "overloaded",
    message: "Busy.",
    retry: true,
    compact: false,
    rotateKey: false,
    fallBack: false,
  };
  return { ...step, text, ...(failure && { failure }) };
}

function inventCall(random: Random): ScriptedAnswer {
  const path = pick(random, FILES);
  const other = pick(random, FILES);
  const words = () => createWords(Math.floor(random() ** 3 * 3_000), Math.floor(random() * 90));
  const made: (() => ScriptedAnswer)[] = [
    () => write(path, words()),
    () => write(path, `${words()}\n`),
    () => read(path),
    () => call("patch", { path, old_string: "w", new_string: "v", replace_all: true }),
    () => call("patch", { patch: `*** Begin Patch\n*** Add File: ${path}\n+${words().slice(0, 50)}\n*** End Patch` }),
    () => call("search_files", { pattern: pick(random, ["w", "a.*b", "zz"]) }),
    () => run(`mkdir -p d/e; printf '%s' '${words().slice(0, 200)}' >> ${path}; wc -c ${path}`),
    () =>
      run(
        pick(random, [
          `rm -f ${path}`,
          `mv ${path} ${other}`,
          `cp -r d ${other}.copy`,
          `ln -sf ${path} link`,
          `chmod 600 ${path}`,
        ]),
      ),
    () =>
      run(pick(random, ["find . | sort | head -40", "cat *.txt | sort | uniq -c", `sed -i s/w/x/g ${path}`, "ls -a"])),
    () => run(`seq 1 ${Math.floor(random() * 3_000)}`),
    () =>
      call("todo", {
        todos: [{ id: "1", content: words().slice(0, 30) || "A", status: pick(random, ["pending", "completed"]) }],
      }),
    () => call("todo"),
    () => call("skill_view", { name: pick(random, ["using-the-workspace", "kilns", "nobody"]) }),
    () => call("skills_list"),
    () => call("oracle", { of: pick(random, ["x", "y"]) }),
    () => call("oracle", { of: pick(random, ["x", "y"]) }),
    () => call("nonesuch", { path }),
    () => ({ calls: [{ name: "read_file", args: {}, malformed: '{"path": ' }] }),
    // What code calls is not counted any more once its object has ended, so it calls nothing twice.
    () =>
      codeOf(
        `await tools.write_file({ path: "${path}", content: "by code" })`,
        `await tools.search_files({ pattern: "z${random()}" })`,
      ),
    () => codeOf(`await tools.terminal({ command: "ls d; echo ${random()} >> ${other}" })`),
  ];
  return pick(random, made)();
}

function codeOf(...calls: string[]): ScriptedAnswer {
  return code(calls.map((one) => `console.log(JSON.stringify(${one}));`).join("\n"));
}

/** Returns what it did. */
async function actAsOwner(world: RecordedWorld, random: Random): Promise<string> {
  const engine = world.engine();
  const path = pick(random, FILES);
  const acts: Record<string, () => unknown> = {
    nothing: () => undefined,
    nothingAgain: () => undefined,
    put: () => world.put(path, createWords(Math.floor(random() * 500), 7)),
    delete: () => engine.deleteFile(path),
    async restore() {
      const kept = must(engine.listCheckpoints());
      if (kept.length > 0) await engine.restoreCheckpoint(pick(random, kept).n);
    },
    wait: () => world.clock.advance(1_000 + Math.floor(random() * 9 * 3_600_000)),
    alarm: () => world.life().wake(),
    undo: () => world.say("/undo"),
    rollback: () => world.say(`/rollback ${1 + Math.floor(random() * 4)}`),
    compress: () => world.say("/compress"),
    refresh: () => world.say("/refresh"),
    async skill() {
      await putSkill(world, "kilns", createWords(60, Math.floor(random() * 90)));
    },
  };
  const name = pick(random, Object.keys(acts));
  await acts[name]!();
  return name;
}
