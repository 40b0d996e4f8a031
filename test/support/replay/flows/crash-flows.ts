// Turns that are cut off at a write of any port and go on in a new object. Each answer depends on the request alone.
import type { Tool } from "../../../../core/agent/contract.ts";
import { succeed } from "../../../../core/agent/tool-result.ts";
import * as z from "zod";
import { must } from "../../session/scripted-session.ts";
import { createWords } from "../../session/conversation.ts";
import { type RecordedWorld, createRecordedWorld } from "../recorded-world.ts";
import { call, code, read, run, together, write } from "./flow.ts";
import { COMPACTIONS, openReader } from "./model-flows.ts";
import { answerBySteps } from "./session-flows.ts";
import { sandbox } from "./workspace-flows.ts";

export interface CrashFlow {
  title: string;
  /** A session before the turn. */
  open(): Promise<RecordedWorld>;
  request: string;
  /** What a person does once the turn waits. */
  decide?(world: RecordedWorld): Promise<void>;
}

/** A read of the deployment that never gives the same twice. */
export function createOracle(): Tool {
  let asked = 0;
  return {
    ...{
      name: "oracle",
      description: "Says a number.",
      parameters: z.strictObject({ of: z.string() }),
      effect: "read",
    },
    run: async ({ of }) => succeed({ of, number: ++asked }, { content: { text: createWords(40, asked) } }),
  };
}

const PATCH =
  "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** Add File: new/b.txt\n+b\n*** Delete File: gone.txt\n*** End Patch";
const INNER = `
  const found = await tools.read_file({ path: "d.txt" });
  await tools.write_file({ path: "c.json", content: JSON.stringify(found) });
  console.log(JSON.stringify(await tools.terminal({ command: "cat c.json >> d.txt; wc -c d.txt" })));
`;

export const crashFlows: CrashFlow[] = [
  {
    title: "files, reads and a list of tasks",
    async open() {
      const steps = [
        { ...write("a.txt", "one\n"), text: "First I write." },
        together(call("oracle", { of: "x" }), call("oracle", { of: "x" }), read("gone.txt")),
        call("patch", { patch: PATCH }),
        call("todo", { todos: [{ id: "1", content: "A", status: "pending" }] }),
        call("oracle", { of: "x" }),
      ];
      const world = await createRecordedWorld(answerBySteps(steps), { tools: [createOracle()] });
      world.put("gone.txt", "gone\n");
      return world;
    },
    request: "Do it.",
  },
  {
    title: "the shell and code",
    open: () =>
      createRecordedWorld(answerBySteps([run("echo 1 >> d.txt"), code(INNER), run("cat d.txt")]), {
        tools: [createOracle()],
        sandbox: sandbox(),
      }),
    request: "Do it.",
  },
  {
    title: "a question to the person",
    open: () =>
      createRecordedWorld(
        answerBySteps([
          write("a.txt", "1"),
          call("clarify", { question: "Which?", choices: ["A", "B"] }),
          write("b.txt", "2"),
        ]),
      ),
    request: "Set it up.",
    async decide(world) {
      const asked = must(world.engine().listApprovals()).find(({ state }) => state === "waiting");
      if (asked) must(await world.engine().decideApproval(asked.id, { answers: [{ choices: [2] }] }));
      await world.settle();
    },
  },
  ...Object.keys(COMPACTIONS).map((method) => ({
    title: `a conversation that is made shorter (${method})`,
    open: () => openReader(method as keyof typeof COMPACTIONS),
    request: "Read all pages.",
  })),
];
