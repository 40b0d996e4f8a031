// One prompt: a session without memory, learning and context files, its turn, and the trajectory as the API exports it. The session and the
// message have idempotency keys from the run and the prompt, so a run that goes on finds them.
import { setTimeout as pause } from "node:timers/promises";
import { type Client, ProblemError } from "../../cli/connection/client.ts";
import { isAway } from "../../cli/connection/http.ts";
import { emptyReport, readTrajectoryPages } from "../../cli/moving/export-trajectories.ts";
import { CreatedSession, type TurnInfo } from "../../core/schemas/api.ts";
import type { ShareGptLine } from "../../core/schemas/trajectories.ts";
import { chooseTools } from "./choose-tools.ts";
import type { BatchOptions, Prompt } from "./options.ts";
import { readShareGptCalls } from "./read-calls.ts";
import type { Mark } from "./run-folder.ts";

const POLL_MS = 250;
/** How long a server may be away, as while it restarts. */
const AWAY_MS = 60_000;

export interface RanPrompt {
  mark: Mark;
  /** Absent: the sample is discarded. */
  line?: object;
}

type RunOptions = Pick<BatchOptions, "run" | "turns" | "toolsets" | "seed" | "needReasoning">;

/** `tools`: every tool that there is, so that each line has the same fields. */
export async function runPrompt(
  client: Client,
  prompt: Prompt,
  { tools: all, ...options }: RunOptions & { tools: readonly string[] },
): Promise<RanPrompt> {
  const key = `${options.run}.${prompt.hash}`;
  const { tools, toolsets } = chooseTools(options.toolsets, options.seed, prompt.hash);
  const title = `${options.run} ${prompt.id}`.slice(0, 200).toWellFormed();
  const { session } = await whileAway(() =>
    client.call(CreatedSession, "POST /v1/sessions", {
      body: { learning: "off", title, tools },
      headers: { "idempotency-key": `trajectories.${key}` },
    }),
  );
  const begun = await whileAway(() => client.session(session));
  const refused = begun.turns.length === 0 ? await post(client, session, { prompt, key }) : null;
  const turn = refused ?? (await awaitTurn(client, session, options.turns));
  const whole = refused ? null : await readLine(client, session);
  const found = whole ?? toEmptyLine(prompt, turn);
  const { stats, unknown, hasReasoning } = readShareGptCalls(found);
  const why =
    unknown.length > 0 ? `unknown tool ${unknown[0]}` : !hasReasoning && options.needReasoning ? "no reasoning" : null;
  if (why !== null) return { mark: { hash: prompt.hash, outcome: "discarded", why } };
  const none = { count: 0, success: 0, failure: 0 };
  const counts = all.map((name) => [name, stats[name] ?? none] as const);
  const line = {
    ...{ prompt_index: prompt.index, prompt_id: prompt.id, ...found, reason: turn.reason ?? "answer" },
    ...{ api_calls: turn.stats.modelCalls, toolsets_used: toolsets, tool_stats: Object.fromEntries(counts) },
    tool_error_counts: Object.fromEntries(counts.map(([name, { failure }]) => [name, failure])),
  };
  const outcome = found.completed ? "completed" : "failed";
  return { mark: { hash: prompt.hash, outcome, ...(refused && { why: refused.reason }) }, line };
}

type EndedTurn = Pick<TurnInfo, "reason" | "endedAt"> & { stats: Pick<TurnInfo["stats"], "modelCalls"> };

/** Codes of refusals that are about the key or the deployment, and so about every prompt. */
const ABOUT_ALL = new Set([401, 402, 403]);

/** `null`: sent. A prompt that the server refuses, as one that is too long or has a file outside of the workspace, fails, and the run goes on. */
async function post(
  client: Client,
  session: string,
  { prompt, key }: { prompt: Prompt; key: string },
): Promise<EndedTurn | null> {
  try {
    for (const [path, text] of Object.entries(prompt.files)) await whileAway(() => client.putFile(session, path, text));
    await whileAway(() => client.postMessage(session, prompt.text, key));
    return null;
  } catch (error) {
    const problem = error instanceof ProblemError ? error.problem : null;
    if (problem === null || ABOUT_ALL.has(problem.status) || isAway(error)) throw error;
    return { reason: problem.code, endedAt: Date.now(), stats: { modelCalls: 0 } };
  }
}

/** Until the turn has ended. It is stopped when it has made more model calls than allowed, or waits for a person. */
async function awaitTurn(client: Client, session: string, maxCalls: number): Promise<TurnInfo> {
  for (;;) {
    const { turns } = await whileAway(() => client.session(session));
    const turn = turns[0];
    if (turn && ["done", "failed", "stopped"].includes(turn.state)) return turn;
    if (turn && (turn.state === "parked" || turn.stats.modelCalls > maxCalls))
      await whileAway(() => client.stop(session));
    await pause(POLL_MS);
  }
}

/** The session's last line; `null`: the model said nothing. */
async function readLine(client: Client, session: string): Promise<ShareGptLine | null> {
  const query = { format: "sharegpt", session };
  const text = await whileAway(async () => {
    let pages = "";
    for await (const page of readTrajectoryPages(client.http, query, emptyReport())) pages += page;
    return pages;
  });
  const last = text.trimEnd().split("\n").at(-1)!;
  return last === "" ? null : (JSON.parse(last) as ShareGptLine);
}

function toEmptyLine({ text }: Prompt, turn: EndedTurn): ShareGptLine {
  const timestamp = new Date(turn.endedAt ?? 0).toISOString();
  return { conversations: [{ from: "human", value: text.toWellFormed() }], timestamp, model: "", completed: false };
}

async function whileAway<T>(ask: () => Promise<T>): Promise<T> {
  const until = Date.now() + AWAY_MS;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const isBusy = error instanceof ProblemError && error.problem.status === 429;
      if (!(isAway(error) || isBusy) || Date.now() > until) throw error;
      await pause(POLL_MS * 4);
    }
  }
}
