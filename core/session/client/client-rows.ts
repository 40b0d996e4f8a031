// What a message's client brought, as meta rows: kept from the message's acceptance to the end of its turn. A message without a client's
// part has none. Read by the turn, its tools and its prompt.
import type { Part } from "../../schemas/entry.ts";
import type { ClientPart } from "../../schemas/sessions/client-part.ts";
import type { SessionChoice } from "../../schemas/sessions/session-choice.ts";
import { type TurnRow, hasBegun } from "../log-turns.ts";
import type { Log } from "../log.ts";

/** Meta key `client:<turn>`. `choice`: the model by its full name. */
export interface StoredClient extends Pick<
  ClientPart,
  "guidance" | "tools" | "toolChoice" | "format" | "maxTokens" | "temperature" | "topP" | "stop"
> {
  v: 1;
  choice?: Pick<SessionChoice, "model" | "effort">;
}

/** Meta key `told:<turn>`, until the turn begins: the parts before its message. */
interface StoredTold {
  v: 1;
  parts: Part[];
}

/** Inside the caller's transaction. */
export function putClient(log: Log, turn: number, client: StoredClient, told: Part[]): void {
  log.setMeta(`client:${turn}`, client);
  if (told.length > 0) log.setMeta(`told:${turn}`, { v: 1, parts: told } satisfies StoredTold);
}

export function readClient(log: Log, { n, more }: Pick<TurnRow, "n" | "more">): StoredClient | null {
  return more.client ? log.meta<StoredClient>(`client:${n}`) : null;
}

/** Inside the transaction that begins the turn. */
export function takeTold(log: Log, { n, more }: Pick<TurnRow, "n" | "more">): Part[] {
  const told = more.client ? log.meta<StoredTold>(`told:${n}`) : null;
  if (told) log.deleteMeta(`told:${n}`);
  return told?.parts ?? [];
}

/** The client gave the turn tools or a form of the answer. */
export function isShapedByClient(log: Log, turn: Pick<TurnRow, "n" | "more">): boolean {
  const client = readClient(log, turn);
  return client?.tools !== undefined || client?.format !== undefined;
}

/** Inside the transaction that ends the turn, or puts its message into another one. */
export function dropClient(log: Log, { n, more }: Pick<TurnRow, "n" | "more">): void {
  if (!more.client) return;
  log.deleteMeta(`client:${n}`);
  if (log.meta(`told:${n}`)) log.deleteMeta(`told:${n}`);
}

/** Of the running turn; `null`: its message came without one. */
export function currentClient(log: Log): StoredClient | null {
  const [open] = log.openTurns();
  return open && hasBegun(open) ? readClient(log, open) : null;
}
