// The messages of an Archive object: opens its part, and for the first part the search over all. The other parts are objects of the same
// class, one for each later year. Called by archive.ts.
import type { DurableObject } from "cloudflare:workers";
import { type MessageArchive, createMessageArchive } from "../core/archive/messages/message-archive.ts";
import {
  type ErasedPieces,
  type OtherPart,
  type PutAnswer,
  type SplitArchive,
  createSplitArchive,
  eraseIn,
} from "../core/archive/messages/split-archive.ts";
import { putIntoYear } from "../core/archive/messages/year-part.ts";
import { firstIdOf } from "../core/archive/messages/years.ts";
import { isPartCurrent, putPartVersion } from "../core/archive/schema.ts";
import { type Result, err } from "../core/errors.ts";
import type { Sql } from "../core/ports.ts";
import type { ArchivedTurn } from "../core/schemas/archived-message.ts";
import { systemClock } from "../stores/platform/system-clock.ts";
import { toSql } from "./sql.ts";

/** What the first part may ask of another, through `Archive.askPart`. */
const PART_CALLS = [
  ...([
    "search",
    "statistics",
    "windows",
    "edges",
    "read",
    "near",
    "rename",
    "eraseSession",
    "putPurge",
    "purges",
  ] as const),
];
type PartCall = (typeof PART_CALLS)[number];

/** In `archive_part`: the profile was erased. */
const ERASED = "erased";

export type ArchiveMessages = ReturnType<typeof createArchiveMessages>;

/** Another Archive object of the profile. */
export interface PartStub {
  askPart(call: PartCall, args: unknown[]): Promise<unknown>;
  erasePart(pieces: ErasedPieces, after: number): Promise<number | null>;
  erase(): Promise<void>;
}

/** `wake`: asks for an alarm, which merges the indexes. */
export function createArchiveMessages(
  { storage, id }: Pick<DurableObject["ctx"], "storage" | "id">,
  { openObject, wake }: { openObject(name: string): PartStub; wake(): void },
) {
  const sql = toSql(storage);
  // `<profile>`, or `<profile>/<year>`.
  const [profile = "", year] = (id.name ?? "").split("/");
  const options = {
    readBytes: () => storage.sql.databaseSize,
    firstId: year === undefined ? 0 : firstIdOf(Number(year)),
    salt: profile,
  };
  let opened: { own: MessageArchive; split: SplitArchive } | null = null;
  const open = () => {
    if (opened) return opened;
    const own = createMessageArchive(sql, options);
    // The object stopped between an erasure and its alarm, or the alarm failed.
    if (own.isMergeDue()) wake();
    const openPart = (other: number) => toOtherPart(openObject(`${profile}/${other}`));
    return (opened = { own, split: createSplitArchive({ sql, own, openPart, clock: systemClock, salt: profile }) });
  };

  return {
    own: () => open().own,
    split: () => open().split,
    async put(turn: ArchivedTurn): Promise<Result<PutAnswer>> {
      if (isPartCurrent(sql, ERASED, 1)) return err("archive_erased", "This profile was deleted.");
      const { own, split } = open();
      if (year === undefined) return split.put(turn);
      const readPurges = () => toOtherPart(openObject(profile)).purges();
      return putIntoYear({ sql, own, readPurges }, turn);
    },
    ask(call: PartCall, args: unknown[]): unknown {
      if (!PART_CALLS.includes(call)) throw new Error(`${call} is not a call between parts`);
      return (open().own[call] as (...given: unknown[]) => unknown)(...args);
    },
    erasePieces: (pieces: ErasedPieces, after: number): number | null =>
      eraseIn(open().own, pieces, { after, salt: profile }),
    /** From now on messages are refused, so that no late one begins a part that no later pass would find. */
    async erase(): Promise<void> {
      const markErased = () => {
        isPartCurrent(sql, ERASED, 1); // makes its table
        putPartVersion(sql, ERASED, 1);
      };
      markErased();
      for (const other of listOtherYears(sql)) await openObject(`${profile}/${other}`).erase();
      await storage.deleteAlarm();
      await storage.deleteAll();
      opened = null;
      markErased();
    },
  };
}

/** Reads tables of any version. */
function listOtherYears(sql: Sql): number[] {
  if (sql.run("SELECT 1 FROM sqlite_master WHERE name = 'message_year'").length === 0) return [];
  const years = sql.run<{ year: number }>("SELECT year FROM message_year ORDER BY year");
  return years.slice(1).map(({ year }) => year);
}

function toOtherPart(stub: PartStub): OtherPart {
  const ask =
    (call: PartCall) =>
    async (...args: unknown[]) => {
      // The answer crosses unchanged, and its type is the call's.
      return (await stub.askPart(call, args)) as never;
    };
  return {
    search: ask("search"),
    statistics: ask("statistics"),
    windows: ask("windows"),
    edges: ask("edges"),
    read: ask("read"),
    near: ask("near"),
    rename: ask("rename"),
    eraseSession: ask("eraseSession"),
    putPurge: ask("putPurge"),
    purges: ask("purges"),
    erasePieces: (pieces, after) => stub.erasePart(pieces, after),
  };
}
