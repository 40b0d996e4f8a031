// Sessions of different kinds: with tool calls, files and a branch; one that waits for a decision, one that waits for an answer, one whose
// turn failed, one that delegated, and a long one. Called by world.ts.
import type { Owner } from "../owner.ts";
import { converse, order, say } from "./talk.ts";

export interface Conversations {
  /** Tool calls of several kinds, files, a rating. */
  workbench: string;
  branch: string;
  /** Waits for the decision on a command. */
  parked: string;
  /** Waits for the answer to a question with choices. */
  asked: string;
  failed: string;
  delegating: string;
  long: string;
}

const LONG_TURNS = 50;

export async function seedConversations(owner: Owner): Promise<Conversations> {
  const policy = { hook: "pre_tool_call", tool: "terminal", arguments: { command: "*deploy*" }, decision: "ask" };
  await owner.call("PUT", "/v1/policies/deploys-ask", { ...policy, reason: "Deploys are decided by a person." });
  const failed = await seedFailure(owner);
  const [work, parked, asked, delegating, long] = await Promise.all([
    seedWorkbench(owner),
    converse(owner, ["Run `echo deploy the blue cluster`"], { title: "Deploying the blue cluster" }),
    converse(owner, ["Ask me: Which colour shall the chart have? red, blue, green"], {
      title: "The colour of the chart",
    }),
    converse(owner, [order("delegate_task", { goal: "Run `seq 3`", context: "Count to three." })], {
      title: "Counting by another agent",
    }),
    converse(
      owner,
      Array.from({ length: LONG_TURNS }, (_, n) => `Run \`echo line ${n + 1}\``),
      { title: "A long conversation", learning: "off" },
    ),
  ]);
  return { ...work, parked, asked, failed, delegating, long };
}

async function seedWorkbench(owner: Owner) {
  const { client } = owner;
  const { session: workbench } = await client.createSession({ title: "The weekly report" });
  await client.putFile(workbench, "reports/week-1.md", "# Week 1\n\n| place | rain |\n| --- | --- |\n| Oslo | 12 |\n");
  await client.putFile(workbench, "data/rain.csv", "place,rain\nOslo,12\nBergen,88\n");
  for (const text of [
    order("write_file", { path: "reports/week-2.md", content: "# Week 2\n\nOslo had 14 mm.\n" }),
    order("patch", { path: "reports/week-1.md", old_string: "| Oslo | 12 |", new_string: "| Oslo | 13 |" }),
    "Show me data/rain.csv",
    "Run `cat nothing-there`",
    order("todo", { todos: [{ id: "1", content: "Send the report", status: "pending" }] }),
    "What did we agree about rain?",
  ])
    await say(owner, workbench, text);
  await client.rate(workbench, 1, { rating: "up" });
  const { session: branch } = await client.branchSession(workbench, { turn: 2 }, "branch-of-the-report");
  return { workbench, branch };
}

/** For a moment the profile allows a turn a single token. */
async function seedFailure(owner: Owner): Promise<string> {
  await owner.call("PATCH", "/v1/settings", { "turn.maxTokens": 1 });
  const session = await converse(owner, ["Run `echo hello`"], { title: "A turn that failed" });
  await owner.call("PATCH", "/v1/settings", { "turn.maxTokens": null });
  return session;
}
