// Every verb of `talaria`, in the order of its help. `--help`, completion and the guide's table read this table.
import type { Verb } from "../command-line/verb.ts";
import { acp } from "./acp.ts";
import { board } from "./board.ts";
import { blueprints } from "./blueprints.ts";
import { channels } from "./channels.ts";
import { completion } from "./completion.ts";
import { dashboard } from "./dashboard.ts";
import { exportVerb } from "./export.ts";
import { importVerb } from "./import.ts";
import { doctor } from "./doctor.ts";
import { jobs } from "./jobs.ts";
import { keys } from "./keys.ts";
import { learning } from "./learning.ts";
import { library } from "./library.ts";
import { memory } from "./memory.ts";
import { pending } from "./pending.ts";
import { promptSize } from "./prompt-size.ts";
import { reviews } from "./reviews.ts";
import { search } from "./search.ts";
import { sessions } from "./sessions.ts";
import { skills } from "./skills.ts";
import { trajectories } from "./trajectories.ts";
import { training } from "./training.ts";
import { update } from "./update.ts";
import { usage } from "./usage.ts";

export const VERBS: readonly Verb[] = [
  sessions,
  search,
  skills,
  library,
  memory,
  learning,
  reviews,
  pending,
  usage,
  promptSize,
  board,
  keys,
  channels,
  jobs,
  blueprints,
  exportVerb,
  importVerb,
  training,
  trajectories,
  dashboard,
  acp,
  doctor,
  update,
  completion,
];
