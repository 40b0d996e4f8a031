// Identifies a measurement: a hash of the simulator's code and parameters, the last commit that changed that code, and a hash of
// the measured product. Called by bench/learning.ts.
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { sha256Hex } from "../../../core/schemas/learning/digest.ts";

const ROOT = join(import.meta.dirname, "../../..");
/** Includes the product's word splitter, which the simulated worker and reviewer use. */
const SIMULATOR = ["bench/learning.ts", "bench/learning", "core/skills/search/words.ts"];
const PRODUCT = ["core", "stores", "wiring", "workers", "durable-objects", "skills-seed"];

export interface Source {
  /** SHA-256 of the simulator's files and of the parameters. */
  simulator: string;
  /** SHA-256 of the product's files. */
  product: string;
  /** The newest commit that changed a file of the simulator; `null` outside a repository. */
  commit: string | null;
  /** Whether the files equal those of that commit. */
  isCommitted: boolean;
}

/** `parameters`: the text of the file in use. */
export function readSource(parameters: string): Source {
  const status = git("status", "--porcelain", "--", ...SIMULATOR);
  return {
    simulator: sha256Hex([...SIMULATOR.map(describe), parameters].join("\n")),
    product: sha256Hex(PRODUCT.map(describe).join("\n")),
    commit: git("log", "-1", "--format=%H", "--", ...SIMULATOR) || null,
    isCommitted: status === "",
  };
}

/** Each file's path and hash, sorted by path. */
function describe(path: string): string {
  const place = join(ROOT, path);
  if (statSync(place).isFile()) return `${path} ${sha256Hex(readFileSync(place, "utf8"))}`;
  return readdirSync(place)
    .toSorted()
    .map((name) => describe(`${path}/${name}`))
    .join("\n");
}

/** `null` without git or outside a repository. */
function git(...args: string[]): string | null {
  try {
    return execFileSync("git", args, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return null; // a copy of the sources alone
  }
}
