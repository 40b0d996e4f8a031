// What a verb of `talaria` is: its name, its help, its actions with their flags, and what an action may use.
import type { Client } from "../connection/client.ts";
import { type Connection, UsageError } from "../connection/connection.ts";
import type { ExitCode } from "./exit-codes.ts";
import type { Output } from "../output/output.ts";

export interface Flag {
  type: "string" | "boolean";
  short?: string;
  multiple?: boolean;
  /** What a string is, as the help shows it: `FILE`. */
  value?: string;
  help: string;
}
export type Flags = Record<string, Flag>;

/** As parsed: a flag that was not given is absent. */
export type FlagValues = Record<string, string | boolean | (string | boolean)[] | undefined>;

export interface Action {
  /** The word after the verb. `null`: the verb alone does it. */
  name: string | null;
  /** The words after it, as the help shows them: `NAME`, `[REV]`, `TEXT...`. */
  words?: string;
  help: string;
  flags?: Flags;
  /** Resolves with nothing when it is done. */
  run(call: VerbCall): Promise<ExitCode | void>;
}

export interface Verb {
  name: string;
  help: string;
  /** The first one is meant when the command line names none. */
  actions: readonly Action[];
}

export interface VerbCall {
  words: string[];
  flags: FlagValues;
  /** `--json`: results go to stdout as one line of JSON. */
  json: boolean;
  output: Output;
  /** The folder `.talaria`, and the file in it with address and key. */
  home: string;
  accessFile: string;
  /** Of this program. */
  version: string;
  /** The variables of the environment. */
  env: Readonly<Record<string, string | undefined>>;
  /** Every verb of the program. */
  verbs: readonly Verb[];
  /** Throws a UsageError when no address or no key is known. */
  connection(): Connection;
  client(): Client;
}

/** The text of a flag that takes one. */
export function textFlag(flags: FlagValues, name: string): string | undefined {
  const value = flags[name];
  return typeof value === "string" ? value : undefined;
}

/** The word of a flag that takes one of several. Throws a UsageError for another word. */
export function readChoice<T extends string>(
  flags: FlagValues,
  name: string,
  choice: { options: readonly T[] },
): T | undefined {
  const text = textFlag(flags, name);
  const found = choice.options.find((option) => option === text);
  if (text === undefined || found !== undefined) return found;
  throw new UsageError(`--${name} takes ${choice.options.join(", ")}, not ${JSON.stringify(text)}.`);
}

/** The texts of a flag that may be given several times. */
export function textFlags(flags: FlagValues, name: string): string[] {
  const value = flags[name];
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}
