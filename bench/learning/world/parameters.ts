// The numbers of the simulated world, from parameters.json or another file of the same form. Each thread reads the file once;
// all other code receives plain values.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { type Result, err, ok } from "../../../core/errors.ts";

export const PARAMETERS_FILE = join(import.meta.dirname, "parameters.json");

const share = z.number().min(0).max(1);
const count = z.int().min(0);
/** The file stores a reason with each number. */
const given = <T>(value: z.ZodType<T>) =>
  z.object({ value, why: z.string().min(1) }).transform((one): T => one.value as T);

const WorldParameters = z.strictObject({
  stream: z.strictObject({
    sessions: given(count.min(4)),
    families: given(count.min(1).max(8)),
    familySkew: given(z.number().min(0)),
    atomsPerFamily: given(count.min(1).max(3)),
    atomsPerTask: given(z.array(share).min(1).max(3)),
    optionsPerAtom: given(count.min(3).max(5)),
    attempts: given(count.min(1)),
    routineCalls: given(count.min(1).max(4)),
    oneOffShare: given(share),
    sessionsPerDay: given(count.min(1)),
    imported: given(count),
    importedOnFamilies: given(count),
    remarks: given(share),
    lookalikes: given(count.max(4)),
  }),
  changes: z.strictObject({
    driftAt: given(count),
    driftShare: given(share),
    reversalAt: given(count),
    reversalRank: given(z.tuple([count.min(1), count.min(1)])),
  }),
  tools: z.strictObject({ transientFailures: given(share), silent: given(share) }),
  outputs: z.strictObject({ prose: given(share), other: given(share), usage: given(share) }),
  worker: z.strictObject({ bypass: given(share), missesLine: given(share), views: given(count) }),
  reviewer: z.strictObject({
    wrong: given(share),
    missed: given(share),
    duplicates: given(share),
    careless: given(share),
    obeysInjection: given(share),
    guesses: given(share),
  }),
  models: z.strictObject({ kindVaries: given(share), misjudges: given(share), foresees: given(share) }),
  injection: z.strictObject({
    share: given(share),
    citesOutcome: given(share),
    workerRepeats: given(share),
  }),
  labels: z.strictObject({
    followUp: given(share),
    correction: given(share),
    remark: given(share),
    rating: given(share),
    ratingDelaySessions: given(count),
    false: given(share),
    ownLanguage: given(share),
  }),
  twoProfiles: z.strictObject({ sessions: given(count), topics: given(count.min(1).max(4)) }),
  heldOut: z.strictObject({ tasks: given(count) }),
  faults: z.strictObject({ redelivered: given(share), killed: given(share) }),
});

const Changes = z.record(z.string(), given(z.record(z.string(), z.unknown())));
const File = WorldParameters.extend({ v: z.literal(2), about: z.string(), stress: Changes, probes: Changes });

export type Parameters = z.infer<typeof WorldParameters>;

/** The two main worlds of a report. */
export const WORLDS = ["imports", "noImports"] as const;

export interface ParametersFile {
  text: string;
  /** By name: the two main worlds, then variants with some numbers changed. */
  cells: Record<string, Parameters>;
  /** Names of the cells in a report, and of the cells that run only with `--cell`. */
  stress: string[];
  probes: string[];
}

/** Failure: `bad_parameters`. */
export function readParameters(path: string): Result<ParametersFile> {
  let text: string;
  let raw: unknown;
  try {
    text = readFileSync(path, "utf8");
    raw = JSON.parse(text);
  } catch {
    return err("bad_parameters", `${path} cannot be read as JSON: give a file in the form of parameters.json.`);
  }
  const parsed = File.safeParse(raw);
  if (!parsed.success) return refused(path, parsed.error.issues[0]!);
  const { stress, probes } = parsed.data;
  const cells: Record<string, Parameters> = {};
  const all = { imports: {}, noImports: { "stream.imported": 0 }, ...stress, ...probes };
  for (const [name, changes] of Object.entries(all)) {
    const changed = File.safeParse(withChanges(raw as Tree, changes));
    if (!changed.success) return refused(`${path}, ${name}`, changed.error.issues[0]!);
    const { v: _v, about: _about, stress: _stress, probes: _probes, ...world } = changed.data;
    cells[name] = world;
  }
  return ok({ text, cells, stress: Object.keys(stress), probes: Object.keys(probes) });
}

function refused(place: string, issue: { path: PropertyKey[]; message: string }): Result<never> {
  return err("bad_parameters", `${place}: ${issue.path.join(".") || "the file"}: ${issue.message}`);
}

type Tree = Record<string, Record<string, { value: unknown }>>;

function withChanges(raw: Tree, changes: Record<string, unknown>): unknown {
  const changed = structuredClone(raw);
  for (const [path, value] of Object.entries(changes)) {
    const [part = "", name = ""] = path.split(".");
    const place = changed[part]?.[name];
    // Add an unknown name too, so that the schema refuses it.
    if (place) place.value = value;
    else changed[part] = { ...changed[part], [name]: { value } };
  }
  return changed;
}
