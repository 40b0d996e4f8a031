// What a profile has to do: a board with cards in several columns, a goal, jobs with runs, a run of the curator. Called by world.ts.
import type { Owner } from "../owner.ts";
import { converse, until } from "./talk.ts";

export interface Work {
  board: string;
  /** By what they are: a done one, one that waits for another one, and so on. */
  cards: Record<"done" | "parent" | "child" | "blocked" | "triage" | "scheduled" | "review", string>;
  /** The session that has the goal. */
  goal: string;
  job: string;
}

const DAY_MS = 24 * 60 * 60_000;

export async function seedWork(owner: Owner): Promise<Work> {
  const [cards, goal, job] = await Promise.all([seedBoard(owner), seedGoal(owner), seedJobs(owner)]);
  return { board: "main", cards, goal, job };
}

async function seedBoard({ call }: Owner): Promise<Work["cards"]> {
  await call("PUT", "/v1/roles/writer", { description: "Writes what readers see." });
  const create = async (fields: object) =>
    (await call<{ id: string }>("POST", "/v1/boards/main/cards", { assignee: { person: "Ada" }, ...fields })).id;
  const at = (card: string) => `/v1/boards/main/cards/${card}`;
  const done = await create({ title: "Run `echo the figures`", assignee: null, label: "figures" });
  const parent = await create({ title: "Collect the figures of May", priority: 2, body: "From all **four** gauges." });
  const child = await create({ title: "Draw the chart", parents: [parent], label: "chart" });
  const blocked = await create({
    title: "Send it to the council",
    block: { kind: "needs_input", reason: "Who is the council's contact?" },
  });
  const triage = await create({ title: "Something about the gauge in Bergen", triage: true });
  const scheduled = await create({ title: "Begin the report of June", notBefore: Date.now() + 30 * DAY_MS });
  const review = await create({ title: "Proofread the introduction" });
  await call("POST", `${at(review)}/request-review`, { summary: "Three pages, read once." });
  await call("POST", `${at(parent)}/comments`, { text: "The gauge in Bergen was away for a day." });
  await until("the card's run", async () => {
    const { card } = await call<{ card: { status: string } }>("GET", at(done));
    return card.status === "done" ? card : null;
  });
  return { done, parent, child, blocked, triage, scheduled, review };
}

async function seedGoal(owner: Owner): Promise<string> {
  const session = await converse(owner, ["Note that the yearly report is due in May"], { title: "The yearly report" });
  const contract = { outcome: "A report that the council accepts.", boundaries: "Only figures of this year." };
  await owner.call("PUT", `/v1/sessions/${session}/goal`, {
    ...{ text: "Finish the yearly report.", contract, subgoals: ["Collect", "Write"], maxTurns: 1 },
  });
  return session;
}

async function seedJobs({ call }: Owner): Promise<string> {
  const job = "morning-figures";
  await call("POST", "/v1/jobs", { name: job, schedule: "0 7 * * *", prompt: "Run `echo the figures`" });
  await call("POST", "/v1/jobs", { name: "weekly-mail", schedule: "every 7d", prompt: "Run `echo the mail`" });
  await call("POST", "/v1/jobs/weekly-mail/pause", { why: "Ada is away." });
  await call("POST", `/v1/jobs/${job}/run`);
  await until("the job's run", async () => {
    const { runs } = await call<{ runs: { state: string }[] }>("GET", `/v1/jobs/${job}/runs`);
    return runs.find(({ state }) => state === "completed");
  });
  return job;
}

/** After the lessons, so that the report has something to say. */
export async function runCurator({ client }: Owner): Promise<string> {
  const { run } = await client.runCurator();
  await until("the curator's report", () => client.curationReport(run));
  return run;
}
