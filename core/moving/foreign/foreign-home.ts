// The neutral form of another program's home: what its skills, facts, personality, conversations and jobs are, whatever files they were in.
// Made by the readers of this folder, carried in by cli/moving/foreign. Types only.
import type { FileBodies } from "../../schemas/file-body.ts";
import type { MemoryStoreName } from "../../schemas/memory.ts";
import type { ForeignProgram, TranscriptMessage } from "../../schemas/sessions/transcript.ts";
import type { MovedSkill } from "../../skills/exchange/import.ts";

/** What can be moved, each by itself. */
export const MOVED_KINDS = ["skills", "memory", "personality", "jobs", "sessions"] as const;
export type MovedKind = (typeof MOVED_KINDS)[number];

/**
 * The files of a home, by their paths with `/`: regular files only, no links, within limits. The caller reads them from wherever they are.
 * `read`: `null` for a file that is too large or cannot be read; the caller has noted why.
 */
export interface ForeignFiles {
  /** Sorted. */
  paths: readonly string[];
  /** Names at the top of the home, folders included. */
  top: readonly string[];
  /** At most `maxBytes`. */
  read(path: string, maxBytes: number): Uint8Array | null;
  /** In lower-case hexadecimal. Programs use it to find their own files changed; it protects nothing. */
  md5(pieces: Uint8Array[]): string;
}

/**
 * `refused`: it cannot come as it is. `no_equal`: there is nothing of the kind here. `left_out`: it need not come. `changed`: it came, but not
 * as it was. `how`: what to do about it.
 */
export interface MoveNote {
  kind: "refused" | "no_equal" | "left_out" | "changed";
  what: string;
  why: string;
  how?: string;
}

export interface ForeignSkill {
  /** Where it is in the home. */
  folder: string;
  files: FileBodies;
  from: MovedSkill;
}

export interface ForeignFact {
  store: MemoryStoreName;
  text: string;
}

export interface ForeignPersonality {
  /** The file that it was in. */
  path: string;
  text: string;
}

export interface ForeignJob {
  id: string;
  name: string;
  prompt: string;
  schedule: string;
  /** An IANA zone. Absent: the schedule names none, and the program used the machine's. */
  timeZone?: string;
  /** Of skills, as the program calls them. */
  skills: string[];
  /** Ids of jobs of the same home. */
  contextFrom: string[];
  repeat: number | null;
}

export interface ForeignConversation {
  /** The program's own. */
  id: string;
  title: string;
  createdAt: number;
  messages: TranscriptMessage[];
}

export interface ForeignHome {
  program: ForeignProgram;
  skills: ForeignSkill[];
  facts: ForeignFact[];
  personality: ForeignPersonality | null;
  jobs: ForeignJob[];
  notes: MoveNote[];
  /** Read one by one, as all together may be large. What cannot be read is noted while they are read. */
  conversations(note: (note: MoveNote) => void): Iterable<ForeignConversation>;
}
