// Parameters of bench:learning for tests: a world of a few sessions in which everything happens soon and often.
import { readFileSync } from "node:fs";
import { PARAMETERS_FILE } from "../../../bench/learning/world/parameters.ts";

type File = Record<string, Record<string, { value: unknown; why: string }>>;

export function worldFile(): File {
  return JSON.parse(readFileSync(PARAMETERS_FILE, "utf8")) as File;
}

/** `changes`: new values by path, such as `stream.sessions`. The file has no stress cells. */
export function smallWorldFile(changes: Record<string, unknown> = {}): File {
  const file = worldFile();
  const small = {
    "stream.sessions": 12,
    "stream.families": 2,
    "changes.driftAt": 6,
    "changes.reversalAt": 9,
    "changes.reversalRank": [1, 1],
    "heldOut.tasks": 2,
    "tools.silent": 0.2,
    "twoProfiles.sessions": 8,
    ...changes,
  };
  for (const [path, value] of Object.entries(small)) {
    const [part = "", name = ""] = path.split(".");
    file[part]![name]!.value = value;
  }
  return { ...file, stress: {}, probes: {} };
}
