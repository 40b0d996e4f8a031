// What of a profile another program can read, as the API answers it, and the files that are made of it. Types only.
import type { JobInfo } from "../../schemas/agenda/job-api.ts";
import type { Entry } from "../../schemas/entry.ts";
import type { FileBodies, FileBody } from "../../schemas/file-body.ts";
import type { ForeignSession } from "../../schemas/sessions/transcript.ts";
import type { SkillHead, SkillUse } from "../../schemas/skill.ts";
import type { ForeignFact, MoveNote } from "./foreign-home.ts";

export interface OwnSkill {
  head: SkillHead;
  use: SkillUse | null;
  files: FileBodies;
}

export interface OwnProfile {
  skills: OwnSkill[];
  /** Of each store the oldest first. */
  facts: ForeignFact[];
  personality: { name: string; text: string } | null;
  jobs: JobInfo[];
}

export interface OwnSession {
  session: string;
  title: string;
  createdAt: number;
  from?: ForeignSession | undefined;
  entries: Entry[];
}

/** `names`: what was written of each kind, for the report. */
export interface WrittenHome {
  files: Map<string, FileBody>;
  names: Record<"skills" | "memory" | "personality" | "jobs", string[]>;
  notes: MoveNote[];
}
