// The fields of a platform's settings: from the command line, the environment, or typed. A secret is never taken from the command line. Of a
// field that is a file, such as a private key, the person writes the path: a terminal would take its first line only.
import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import type { PlatformInfo } from "../../core/schemas/channels/channel-api.ts";
import { UsageError } from "../connection/connection.ts";
import type { Output } from "../output/output.ts";
import { toVariable } from "./show-channel.ts";

/** [own] A key file has a few KB. */
const MAX_FILE_BYTES = 100_000;

export interface FieldSources {
  info: PlatformInfo;
  /** `FIELD=VALUE`. */
  given: readonly string[];
  /** `null`: what is missing is asked for. */
  env: Readonly<Record<string, string | undefined>> | null;
  output: Output;
}

/** Throws a UsageError that names the field. An optional field that is left empty is absent. */
export async function readFields({ info, given, env, output }: FieldSources): Promise<Record<string, string>> {
  const fields = readGiven(info, given);
  const missing = info.form.filter(({ name }) => fields[name] === undefined);
  if (env !== null) {
    for (const { name } of missing) {
      const value = env[toVariable(info.platform, name)];
      if (value) fields[name] = value;
    }
  } else if (output.isTerminal) {
    for (const step of info.steps) output.note(`- ${step}`);
    for (const { name, help, secret, required, file } of missing) {
      const question = `${name}: ${help}${file ? " Its path:" : ""}${required ? "" : " (optional)"}\n> `;
      const value = (await (secret && !file ? output.askSecret(question) : output.ask(question))).trim();
      if (value !== "") fields[name] = file ? readFieldFile(name, value) : value;
    }
  }
  const lacking = info.form.find(({ name, required }) => required && fields[name] === undefined);
  if (!lacking) return fields;
  const variable = toVariable(info.platform, lacking.name);
  throw new UsageError(
    `${info.title} needs \`${lacking.name}\`. Nothing was done: set ${variable} and pass --from-env, or run this in a terminal.`,
  );
}

function readGiven({ title, platform, form }: PlatformInfo, given: readonly string[]): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const word of given) {
    const equals = word.indexOf("=");
    const name = equals < 0 ? word : word.slice(0, equals);
    const field = form.find((one) => one.name === name);
    if (!field) {
      const names = form.map((one) => one.name).join(", ");
      throw new UsageError(`${title} has no field ${JSON.stringify(name)}. It has: ${names}.`);
    }
    if (equals < 0) throw new UsageError(`Write it as ${name}=VALUE.`);
    if (field.file) {
      fields[name] = readFieldFile(name, word.slice(equals + 1));
      continue;
    }
    if (field.secret) {
      const variable = toVariable(platform, name);
      throw new UsageError(
        `\`${name}\` is a secret, and other programs can read a command line. Leave it out to be asked, or set ${variable} and pass --from-env.`,
      );
    }
    fields[name] = word.slice(equals + 1);
  }
  return fields;
}

function readFieldFile(name: string, typed: string): string {
  const path = resolve(typed.replace(/^~(?=\/)/, homedir()));
  try {
    if (statSync(path).size <= MAX_FILE_BYTES) return readFileSync(path, "utf8");
  } catch {
    // missing, or not readable
  }
  throw new UsageError(
    `\`${name}\` is a file of at most ${MAX_FILE_BYTES / 1_000} KB, and ${path} cannot be read as one. Nothing was done.`,
  );
}
