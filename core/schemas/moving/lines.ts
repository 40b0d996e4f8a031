// What a part of an exported profile holds: one JSON object a line. A line is a row of one of the profile's objects, an object of R2, a
// key of KV, or the end of a session. Forms only.
import * as z from "zod";
import { SessionId } from "../ids.ts";

/** A value of SQLite. A blob is Base64. */
export const MovedValue = z.union([z.string(), z.number(), z.null(), z.strictObject({ base64: z.base64() })]);
export type MovedValue = z.infer<typeof MovedValue>;

export const MovedRow = z.record(z.string().regex(/^[a-z][a-z_0-9]{0,30}$/), MovedValue);
export type MovedRow = z.infer<typeof MovedRow>;

/** How far the tables of an object were read: the last row's primary key; empty: none of this table. */
export const TablePlace = z.strictObject({
  table: z.string().max(40),
  after: z.array(z.union([z.string(), z.number()])).max(8),
});
export type TablePlace = z.infer<typeof TablePlace>;

const TableName = z.string().max(40);
/** The key without `p/<profile>/`, so that no archive names another place. */
const KeySuffix = z.string().min(1).max(1_000);

export const SessionLine = z.strictObject({
  in: z.literal("session"),
  id: SessionId,
  table: TableName,
  row: MovedRow,
});
/** Every row of the session is in the lines before. */
export const SessionEnd = z.strictObject({ in: z.literal("session"), id: SessionId, whole: z.literal(true) });
/** A row of a session, without its id. */
export type MovedSessionRow = Pick<z.infer<typeof SessionLine>, "table" | "row">;
export const AccountLine = z.strictObject({ in: z.literal("account"), table: TableName, row: MovedRow });
export const ArchiveLine = z.strictObject({ in: z.literal("archive"), table: TableName, row: MovedRow });
export const ObjectLine = z.strictObject({
  in: z.literal("object"),
  key: KeySuffix,
  /** Its bytes, as text where they are UTF-8. */
  body: z.union([z.string(), z.strictObject({ base64: z.base64() })]),
  meta: z.record(z.string(), z.string()).optional(),
});
export const MemoryLine = z.strictObject({
  in: z.literal("memory"),
  key: KeySuffix,
  value: z.string(),
});

export type SessionLine = z.infer<typeof SessionLine>;
export type SessionEnd = z.infer<typeof SessionEnd>;
export type AccountLine = z.infer<typeof AccountLine>;
export type ArchiveLine = z.infer<typeof ArchiveLine>;
export type ObjectLine = z.infer<typeof ObjectLine>;
export type MemoryLine = z.infer<typeof MemoryLine>;

export const MovedLine = z.union([SessionLine, SessionEnd, AccountLine, ArchiveLine, ObjectLine, MemoryLine]);
export type MovedLine = z.infer<typeof MovedLine>;

/** In the order in which an export reads them. */
export const MOVED_SECTIONS = ["session", "object", "memory", "archive", "account"] as const;
export const MovedSection = z.enum(MOVED_SECTIONS);
export type MovedSection = z.infer<typeof MovedSection>;

/** How far the objects of R2 were read. `after`: the last key; `rev`: of the head whose revisions are read. */
export const ObjectPlace = z.discriminatedUnion("step", [
  z.strictObject({ step: z.literal("index") }),
  z.strictObject({ step: z.literal("heads"), after: z.string() }),
  z.strictObject({ step: z.literal("revisions"), head: z.string(), rev: z.int(), after: z.string() }),
  z.strictObject({ step: z.literal("others"), after: z.string() }),
]);
export type ObjectPlace = z.infer<typeof ObjectPlace>;

/** How far an export was read. `last`: the newest session in it. `stamp`: the state of the session that is being read. */
export const ExportPlace = z.discriminatedUnion("in", [
  z.strictObject({
    in: z.literal("session"),
    last: z.string(),
    open: z.strictObject({ id: SessionId, place: TablePlace, stamp: z.string() }).nullable(),
  }),
  z.strictObject({ in: z.literal("object"), last: z.string(), place: ObjectPlace }),
  z.strictObject({ in: z.literal("memory"), last: z.string(), cursor: z.string().nullable() }),
  z.strictObject({ in: z.literal("archive"), last: z.string(), place: TablePlace.nullable() }),
  z.strictObject({ in: z.literal("account"), last: z.string(), place: TablePlace.nullable() }),
]);
export type ExportPlace = z.infer<typeof ExportPlace>;
