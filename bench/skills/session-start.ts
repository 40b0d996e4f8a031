// Measures the cost of a new epoch with a large library: `/refresh` in a real session, over HTTP, with the index in R2 and a warm
// object. The session reads the index by conditional GET, lists memory, and builds and stores the prompt; it calls no model. A
// final turn records the prompt as the model received it.
import { setTimeout } from "node:timers/promises";
import { CreatedProfile, SessionInfo } from "../../core/schemas/api.ts";
import type { SkillIndex } from "../../core/schemas/skill.ts";
import { estimateTokens } from "../../core/tokens.ts";
import { type TimedResponse, send } from "../support/http.ts";
import { PLAIN_ORDER, toOrderText } from "../support/orders.ts";
import { BENCH_MODEL, startStage } from "../support/stage.ts";
import { OPERATOR_TOKEN } from "../support/subjects/talaria.ts";
import type { BenchLibrary } from "./library.ts";
import { toIndexedLine } from "./search.ts";

export interface SessionStart {
  /** Times from sending `/refresh` to the end of the answer. */
  startMs: number[];
  /** Tokens of the skill index in the prompt, by the product's estimate. */
  indexTokens: number;
}

const WARM_UPS = 5;
/** Pause between requests, so that a session's work after an answer (above all, checking for new skills) is complete. */
const PAUSE_MS = 150;
/** Every tenth skill has been used, because use influences which skills the index shows. */
const USED_EVERY = 10;
const BLOCK = /<available_skills>[\s\S]*?<\/available_skills>/;

export async function measureSessionStart(
  library: BenchLibrary,
  { starts, say }: { starts: number; say: (line: string) => void },
): Promise<SessionStart> {
  say("bundling the Workers");
  const settings = {
    models: { windows: { [BENCH_MODEL]: 200_000 } },
    review: { enabled: false },
    turn: { titles: false },
  };
  const stage = await startStage({ peer: false, settings });
  try {
    const { profile, key } = CreatedProfile.parse(await call(`${stage.oursUrl}/v1/profiles`, OPERATOR_TOKEN, "{}"));
    const put = await send(`${stage.oursUrl}/bench/${profile}/index`, {
      method: "PUT",
      body: JSON.stringify(toIndex(library)),
    });
    if (put.status !== 204) throw new Error(`the index was not stored: ${put.status} ${put.text.slice(0, 400)}`);
    const { session } = SessionInfo.parse(await call(`${stage.oursUrl}/v1/sessions`, key, "{}"));
    const sendMessage = (text: string) => postMessage(`${stage.oursUrl}/v1/sessions/${session}/messages`, key, text);

    const run = "skills";
    await sendMessage(toOrderText({ ...PLAIN_ORDER, run: "first" }));
    say(`${starts} new epochs`);
    const startMs: number[] = [];
    for (let i = -WARM_UPS; i < starts; i++) {
      await setTimeout(PAUSE_MS);
      const { totalMs } = await sendMessage("/refresh");
      if (i >= 0) startMs.push(totalMs);
    }
    await sendMessage(toOrderText({ ...PLAIN_ORDER, run, record: true }));
    const [recorded] = (await stage.server.take(run)).calls;
    const block = BLOCK.exec(readSystemPrompt(recorded?.body ?? ""))?.[0];
    if (!block) throw new Error("the prompt has no skill index");
    return { startMs, indexTokens: estimateTokens(block) };
  } finally {
    await stage.stop();
  }
}

function toIndex({ skills }: BenchLibrary): SkillIndex {
  const lines = skills.map((skill, i) => {
    const { name, ...line } = toIndexedLine(skill);
    const use = { uses: 1 + (i % 7), successes: i % 3, failures: i % 2, lastUsedDay: "2026-11-01" };
    return [name, i % USED_EVERY === 0 ? { ...line, use } : line] as const;
  });
  return { v: 1, seq: 1, skills: Object.fromEntries(lines.sort(([a], [b]) => (a < b ? -1 : 1))) };
}

async function postMessage(url: string, key: string, text: string): Promise<TimedResponse> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", accept: "text/event-stream" };
  const timed = await send(url, { headers, body: JSON.stringify({ text }) });
  if (!/"state":"done"/.test(timed.text)) {
    throw new Error(`a turn failed (${timed.status}): ${timed.text.slice(-600)}`);
  }
  return timed;
}

async function call(url: string, key: string, body: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const answer = await send(url, { headers, body });
  if (answer.status >= 300) throw new Error(`POST ${url} answered ${answer.status}: ${answer.text.slice(0, 400)}`);
  return JSON.parse(answer.text);
}

/** The system prompt of a Chat Completions request. */
function readSystemPrompt(body: string): string {
  const { messages = [] } = JSON.parse(body || "{}") as { messages?: { role: string; content: unknown }[] };
  const content = messages.find((said) => said.role === "system" || said.role === "developer")?.content;
  return typeof content === "string" ? content : JSON.stringify(content ?? "");
}
