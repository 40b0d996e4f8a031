// One run of the webhook bench: ten routes, the sendings with a kill of the whole stack in their middle, the wait for the turns, the count.
// Senders behave as senders do: what was not answered is sent again. Called by webhooks.ts and, with a few deliveries, by a test.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createClient } from "../../cli/connection/client.ts";
import { readOperatorToken } from "../../scripts/stack/local-state.ts";
import { freePort, onStopSignal } from "../../scripts/stack/processes.ts";
import { type Stack, startStack } from "../../scripts/stack/stack.ts";
import { send } from "../support/http.ts";
import { countTurns, hasWaiting } from "./count-turns.ts";
import { PROMPT, type Planned, ROUTE_PLAN, planSends, toRequest } from "./plan.ts";

export interface WebhookRun {
  /** Requests, those that a kill cut off among them. */
  sent: number;
  /** Distinct ids that were answered well. */
  accepted: number;
  /** Of these, those with a turn that has ended. */
  turns: number;
  /** Accepted, and without a turn. */
  lost: number;
  /** With more than one. */
  duplicated: number;
  /** From sending a request to its answer. */
  p50Ms: number;
  p99Ms: number;
  /** Distinct ids from the first request to the end of the last turn, the kill and the restart included. */
  perSecond: number;
}

const SENDERS = 12;
const RETRY_MS = 200;
/** The figures are about what Talaria does; the operator raises the limit of a route. */
const SETTINGS = { webhooks: { perMinute: 1_000_000 } };
/** Without any turn in this time the run is stuck. */
const LOOK_MS = 1_000;
const MAX_WAIT_MS = 60 * 60_000;

export async function runWebhooks({
  count,
  seed,
  say,
}: {
  count: number;
  seed: number;
  say(line: string): void;
}): Promise<WebhookRun> {
  const stateDir = mkdtempSync(join(tmpdir(), "talaria-webhooks-"));
  const abort = new AbortController();
  onStopSignal(() => abort.abort());
  const token = readOperatorToken(stateDir);
  const vars = {
    ...{ TALARIA_OPERATOR_TOKEN: token, TALARIA_MODEL: "rehearsal" },
    TALARIA_SETTINGS: JSON.stringify(SETTINGS),
  };
  const port = await freePort();
  const start = () => startStack({ stateDir, port, vars, signal: abort.signal });
  let stack: Stack = await start();
  try {
    const { profile, key } = await createClient({ url: stack.url, key: token }).createProfile();
    const caller = { url: stack.url, key };
    await createRoutes(caller);
    const sends = planSends(count, seed);
    say(`sending ${count} deliveries in ${sends.length} requests`);
    const began = performance.now();
    const state = { isDown: false, sent: 0, accepted: new Set<string>(), took: [] as number[] };
    const half = Math.floor(sends.length / 2);
    let killing: Promise<void> | null = null;
    const queue = sends.toReversed();
    const work = Array.from({ length: SENDERS }, async () => {
      for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
        if (sends.length - queue.length === half) killing = killAndRestart();
        await deliver(next);
      }
    });
    await Promise.all(work);
    await killing;
    const answeredS = (performance.now() - began) / 1_000;
    say(`answered ${state.accepted.size} ids in ${answeredS.toFixed(1)} s`);
    const turns = await waitForTurns(caller, say);
    const tookS = (performance.now() - began) / 1_000;
    return summarize(state, turns, tookS);

    async function killAndRestart(): Promise<void> {
      say("kill -9");
      state.isDown = true;
      await stack.kill();
      stack = await start();
      state.isDown = false;
      say("started again");
    }

    /** Until it is answered, as a sender does. */
    async function deliver(planned: Planned): Promise<void> {
      for (;;) {
        while (state.isDown) await pause(RETRY_MS);
        state.sent++;
        const answer = await send(`${caller.url}/hooks/${profile}/${planned.route.name}`, toRequest(planned)).catch(
          () => null, // cut off by the kill
        );
        if (answer && answer.status >= 200 && answer.status < 300) {
          state.accepted.add(planned.id);
          state.took.push(answer.totalMs);
          return;
        }
        if (answer && answer.status < 500 && answer.status !== 429) {
          throw new Error(`a delivery was answered ${answer.status}: ${answer.text.slice(0, 200)}`);
        }
        await pause(RETRY_MS);
      }
    }
  } finally {
    await stack.stop();
    rmSync(stateDir, { recursive: true, force: true });
  }
}

async function createRoutes({ url, key }: { url: string; key: string }): Promise<void> {
  for (const { name, scheme, secret, session } of ROUTE_PLAN) {
    const body = JSON.stringify({ name, scheme, secret, session, prompt: PROMPT });
    const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
    const { status, text } = await send(`${url}/v1/webhooks`, { headers, body });
    if (status !== 201) throw new Error(`POST /v1/webhooks answered ${status}: ${text.slice(0, 300)}`);
  }
}

async function waitForTurns(
  caller: { url: string; key: string },
  say: (line: string) => void,
): Promise<Map<string, number>> {
  const end = Date.now() + MAX_WAIT_MS;
  for (const { name } of ROUTE_PLAN) {
    while (await hasWaiting(caller, name)) {
      if (Date.now() > end) throw new Error(`deliveries of ${name} still wait after an hour`);
      await pause(LOOK_MS);
    }
  }
  say("all deliveries are posted");
  for (;;) {
    const turns = await countTurns(caller);
    if (turns) return turns;
    if (Date.now() > end) throw new Error("turns have not ended after an hour");
    await pause(LOOK_MS);
  }
}

function summarize(
  { sent, accepted, took }: { sent: number; accepted: Set<string>; took: number[] },
  turns: Map<string, number>,
  tookS: number,
): WebhookRun {
  const sorted = took.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round((sorted[Math.floor(sorted.length * share)] ?? 0) * 10) / 10;
  const withTurn = [...accepted].filter((id) => turns.has(id)).length;
  return {
    ...{ sent, accepted: accepted.size, turns: withTurn, lost: accepted.size - withTurn },
    duplicated: [...turns.values()].filter((n) => n > 1).length,
    ...{ p50Ms: at(0.5), p99Ms: at(0.99), perSecond: Math.round((withTurn / tookS) * 10) / 10 },
  };
}
