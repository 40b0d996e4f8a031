// Every verb of `talaria`, in the order of its help. `--help`, completion and the guide's table read this table.
import type { Verb } from "../command-line/verb.ts";
import { learning } from "./learning.ts";

export const VERBS: readonly Verb[] = [learning];
