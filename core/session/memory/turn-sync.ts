// Sends ended turns to an external memory provider, in order: what the turn wrote to the built-in memory, then the request and
// its answer. Called by the driver, through recall.ts. A turn that waits is lost when the object restarts.
import type { MemoryProvider } from "../../memory/provider.ts";
import { redactText } from "../../redact.ts";
import { messageOf, textOf } from "../../schemas/entry.ts";
import { parseSessionCommand } from "../../commands/parse-command.ts";
import type { EngineContext } from "../context.ts";
import { writesIn } from "./mirrored-writes.ts";
import { callWithRetry, createIdleSignal, findProvider } from "./provider-calls.ts";

/** Turns that may wait for their sync. Beyond that, new turns are not sent. */
const MAX_WAITING = 50;

export function createTurnSync(context: EngineContext): (n: number) => void {
  const { host } = context;
  let syncing = Promise.resolve();
  let waiting = 0;

  return function sendTurn(n) {
    const provider = findProvider(context);
    if (!provider) return;
    if (waiting >= MAX_WAITING) {
      return host.report("memory sync", `${provider.name} is too slow: turn ${n} was skipped`);
    }
    waiting += 1;
    // A failure for one turn must not block the turns after it.
    syncing = syncing
      .then(() => syncTurn(context, provider, n))
      .catch((error) => host.report("memory sync", error))
      .finally(() => void (waiting -= 1));
    host.background(syncing);
  };
}

async function syncTurn({ host, log }: EngineContext, provider: MemoryProvider, n: number): Promise<void> {
  const turn = log.turn(n);
  if (!turn || turn.input === null || turn.final === null) return;
  const entries = log.entries(turn.input, turn.final).filter((entry) => entry.turn === n);
  for (const write of writesIn(entries))
    await callWithRetry(host, "memory write", () => provider.onWrite(write, createIdleSignal()));
  const final = entries.at(-1);
  if (turn.state !== "done" || final?.kind !== "assistant") return;
  const said = entries.filter((entry) => entry.kind === "user").map(messageOf);
  const exchange = { user: redactText(said.join("\n\n")), assistant: redactText(textOf(final)) };
  if (parseSessionCommand(said[0] ?? "") || exchange.user.trim() === "" || exchange.assistant.trim() === "") return;
  await callWithRetry(host, "memory sync", () => provider.sync(exchange, createIdleSignal()));
}
