// What is copied when a turn is run again, as it crosses from the Session to the Replay. Types only.
import type { BranchNeed, BranchPage } from "./branch.ts";

/** As for a branch; `recording`: what the turn itself left, from its input on. It asks for one thing at a time. */
export type ReplayNeed = BranchNeed | { stage: "recording"; after: number };

export type ReplayPage = BranchPage | { stage: "recording"; rows: Record<string, string | number | null>[] };
