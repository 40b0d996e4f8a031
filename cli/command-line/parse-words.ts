// Splits a command line into a verb, its action, words and flags, or into the flags of a chat. Pure. Throws a UsageError whose message
// says what to write instead.
import { parseArgs } from "node:util";
import { findNearest } from "../../core/commands/parse-command.ts";
import { UsageError } from "../connection/connection.ts";
import { CHAT_FLAGS, COMMON_FLAGS } from "./flags.ts";
import { PROGRAM } from "./program-name.ts";
import type { Action, Flags, FlagValues, Verb } from "./verb.ts";

export type CommandLine =
  | { kind: "chat"; flags: FlagValues; session: string | undefined }
  | { kind: "verb"; verb: Verb; action: Action; words: string[]; flags: FlagValues }
  /** `--help` of a verb, or of the program. */
  | { kind: "help"; verb: Verb | null }
  | { kind: "version" };

/** Words of other programs for a verb, and for an action of a verb. */
const OTHER_VERBS: Record<string, string> = { hub: "skills" };
const OTHER_ACTIONS: Record<string, Record<string, string>> = { skills: { add: "install", remove: "uninstall" } };

export function parseCommandLine(given: string[], verbs: readonly Verb[]): CommandLine {
  const args = fillPrompt(given);
  const [first] = findWords(args, { ...CHAT_FLAGS, ...COMMON_FLAGS });
  const verb = first === undefined ? undefined : verbs.find(({ name }) => name === args[first]);
  if (verb) return parseVerb(args.toSpliced(first!, 1), verb);
  const { values, positionals } = parseStrictly(args, { ...CHAT_FLAGS, ...COMMON_FLAGS }, `${PROGRAM} --help`);
  if (values.help) return { kind: "help", verb: null };
  if (values.version) return { kind: "version" };
  // `-r ID`: a flag whose value may be left out.
  const session = values.resume ? positionals.shift() : undefined;
  const [unexpected] = positionals;
  if (unexpected !== undefined) throw new UsageError(describeUnexpected(unexpected, verbs));
  return { kind: "chat", flags: values, session };
}

function parseVerb(args: string[], verb: Verb): CommandLine {
  const every = Object.assign({}, COMMON_FLAGS, ...verb.actions.map(({ flags }) => flags ?? {})) as Flags;
  const [second] = findWords(args, every);
  const word = second === undefined ? undefined : args[second];
  const named = word === undefined ? undefined : verb.actions.find(({ name }) => name === word);
  const action = named ?? verb.actions[0]!;
  const rest = named ? args.toSpliced(second!, 1) : args;
  const where = `${PROGRAM} ${verb.name} --help`;
  const { values, positionals } = parseStrictly(rest, { ...COMMON_FLAGS, ...action.flags }, where);
  if (values.help) return { kind: "help", verb };
  checkWords(positionals, { verb, action, isNamed: named !== undefined });
  return { kind: "verb", verb, action, words: positionals, flags: values };
}

function checkWords(
  words: string[],
  { verb, action, isNamed }: { verb: Verb; action: Action; isNamed: boolean },
): void {
  // What a colon joins, as in `SCHEDULE: TASK`, may be one word in quotes.
  const shape = (action.words ?? "").split(/(?<!:) /).filter((word) => word !== "");
  const least = shape.filter((word) => !word.startsWith("[")).length;
  const most = shape.at(-1)?.includes("...") ? Number.POSITIVE_INFINITY : shape.length;
  if (words.length >= least && words.length <= most) return;
  const names = verb.actions.flatMap(({ name }) => name ?? []);
  const [word] = words;
  if (!isNamed && word !== undefined && names.length > 0) {
    const near = readOwn(readOwn(OTHER_ACTIONS, verb.name) ?? {}, word) ?? findNearest(word, names);
    throw new UsageError(
      `${JSON.stringify(word)} is not one of: ${names.join(", ")}.${near ? ` Did you mean \`talaria ${verb.name} ${near}\`?` : ""}`,
    );
  }
  throw new UsageError(`Write it as \`${formatUsage(verb, action)}\`.`);
}

export function formatUsage(verb: Verb, { name, words }: Action): string {
  return ["talaria", verb.name, name, words].filter((part) => part != null && part !== "").join(" ");
}

/** Where the words without a dash are that are no flag's value. */
function findWords(args: string[], flags: Flags): number[] {
  const { tokens } = parseArgs({
    args,
    options: toOptions(flags),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  return tokens.flatMap((token) => (token.kind === "positional" ? [token.index] : []));
}

function parseStrictly(args: string[], flags: Flags, help: string): { values: FlagValues; positionals: string[] } {
  try {
    const { values, positionals } = parseArgs({ args, options: toOptions(flags), allowPositionals: true });
    return { values: values as FlagValues, positionals };
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\`${help}\` shows the options.`);
  }
}

function toOptions(flags: Flags) {
  return Object.fromEntries(
    Object.entries(flags).map(([name, { type, short, multiple }]) => [
      name,
      { type, ...(short !== undefined && { short }), ...(multiple && { multiple }) },
    ]),
  );
}

/** `-p` without a text reads the message from stdin, as `-p -` does. */
function fillPrompt(args: string[]): string[] {
  const at = args.findIndex((arg) => arg === "-p" || arg === "--prompt");
  const next = args[at + 1];
  const isBare = at >= 0 && (next === undefined || /^-./.test(next));
  return isBare ? args.toSpliced(at, 1, `--prompt=-`) : args;
}

function describeUnexpected(word: string, verbs: readonly Verb[]): string {
  const names = verbs.map(({ name }) => name);
  const near = readOwn(OTHER_VERBS, word) ?? findNearest(word, names);
  const advice = near ? `Did you mean \`${PROGRAM} ${near}\`?` : "A message is sent with -p TEXT.";
  return `Unexpected argument ${JSON.stringify(word)}. ${advice}\n\`${PROGRAM} --help\` shows the options.`;
}

/** A person may write `constructor`. */
function readOwn<T>(map: Record<string, T>, word: string): T | undefined {
  return Object.hasOwn(map, word) ? map[word] : undefined;
}
