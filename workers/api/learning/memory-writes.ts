// What a person changes in the profile's memory: adds, replaces and forgets facts. A person's fact is never refused for its content.
// Used by the routes of memory and by the MCP server.
import { ulid } from "ulid";
import { purgedFailure } from "../../../core/memory/plan.ts";
import { parseFact, scanFact } from "../../../core/memory/rules.ts";
import type { MemoryStore } from "../../../core/ports.ts";
import type { ProfileId, Sha256 } from "../../../core/schemas/ids.ts";
import { type MemoryStoreName, memoryId } from "../../../core/schemas/memory.ts";
import type { ForeignProgram } from "../../../core/schemas/sessions/transcript.ts";
import type { Env } from "../env.ts";
import { AppError, unwrap } from "../problems.ts";
import { openAccount } from "../sessions/session-rpc.ts";
import { openMemory } from "../stores.ts";

export interface MemoryScope {
  env: Env;
  profile: ProfileId;
}

interface Written {
  store: MemoryStoreName;
  id: Sha256;
  /** The fact was there before. */
  existed: boolean;
}

/** Throws the refusals of `parseFact`, and `memory_purged`. */
export async function addFact(scope: MemoryScope, store: MemoryStoreName, content: string): Promise<Written> {
  const fact = unwrap(parseFact(content));
  const { id, existed } = await addByPerson(openMemory(scope.env, scope.profile), store, fact, newOp());
  return { store, id, existed };
}

/**
 * A fact that another program kept. Nobody said it here, so it is content and is scanned. Repeated, it changes nothing, also after it was
 * forgotten here. Throws what `addFact` does, and `memory_refused`.
 */
export async function addForeignFact(
  { env, profile }: MemoryScope,
  { store, content, from }: { store: MemoryStoreName; content: string; from: ForeignProgram },
): Promise<Written> {
  const text = unwrap(parseFact(content));
  const threat = scanFact(text, "foreground");
  if (threat) throw new AppError("memory_refused", threat.message);
  const opened = openMemory(env, profile);
  const op = `import:${from}`;
  const record = { v: 1 as const, text, at: Date.now(), origin: "foreground" as const, source: "content" as const };
  const added = await opened.add(store, op, record);
  if (added.purged) unwrap(purgedFailure());
  return { store, id: added.id, existed: added.existed || added.repeated === true };
}

/** Throws what `addFact` does, and `memory_not_found`. */
export async function replaceFact(
  { env, profile }: MemoryScope,
  { store, id, content }: { store: MemoryStoreName; id: Sha256; content: string },
): Promise<Written> {
  const fact = unwrap(parseFact(content));
  const opened = openMemory(env, profile);
  const entry = (await opened.list(store)).find((candidate) => candidate.id === id);
  if (!entry) throw memoryNotFound(store);
  if (memoryId(fact) === id) return { store, id, existed: true };
  const op = newOp();
  // Adds before it removes: an interrupted request then leaves both facts, and loses none.
  const added = await addByPerson(opened, store, fact, op);
  await opened.remove(store, id, { op, at: Date.now(), adds: entry.adds });
  await openAccount(env, profile).noteActivity();
  return { store, id: added.id, existed: added.existed };
}

/** How many writes of the fact were removed. Throws `memory_not_found`. */
export async function forgetFact({ env, profile }: MemoryScope, store: MemoryStoreName, id: Sha256): Promise<number> {
  const removed = await openMemory(env, profile).remove(store, id, { op: newOp(), at: Date.now() });
  if (removed === 0) throw memoryNotFound(store);
  await openAccount(env, profile).noteActivity();
  return removed;
}

export function newOp(): string {
  return `api:${ulid()}`;
}

export function memoryNotFound(store: MemoryStoreName): AppError {
  return new AppError(
    "memory_not_found",
    `There is no entry of that id in \`${store}\`; one that was added within the last minute may not be visible yet.`,
  );
}

async function addByPerson(opened: MemoryStore, store: MemoryStoreName, text: string, op: string) {
  const added = await opened.add(store, op, { v: 1, text, at: Date.now(), origin: "user", source: "principal" });
  if (added.purged) unwrap(purgedFailure());
  return added;
}
