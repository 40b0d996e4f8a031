// One seed's world: which tasks come, what their operations want, when that changes, what stands in a tool's output, what
// the person says afterwards. A pure function of the parameters and the seed; no arm and no model has a part in it.
import { draw, happens, pick, pickWeighted, shuffled } from "./draws.ts";
import { FAMILIES, type Family, OTHER_OPTIONS, type Operation, STRAY_SKILLS, inventedWord } from "./families.ts";
import { type Injection, makeInjection } from "./injections.ts";
import type { InjectionKind, Parameters } from "./parameters.ts";
import { CORRECTIONS, type FollowUpKind, REPLIES, THANKS } from "./replies.ts";
import { sayOption } from "./statements.ts";

export interface Task {
  /** Its place in the stream, from 1; held-out tasks come behind its end. */
  n: number;
  /** `<seed>.<n>`, as it stands in the message. */
  job: string;
  /** `null`: a one-off. */
  family: Family | null;
  operations: Operation[];
  request: string;
  injection: Injection | null;
}

export interface FollowUp {
  text: string;
  kind: FollowUpKind;
  /** What it says would have been right. */
  says: { operation: string; option: string } | null;
}

export interface World {
  seed: number;
  parameters: Parameters;
  /** The families that take part, the most frequent first. */
  families: readonly Family[];
  tasks: readonly Task[];
  heldOut: readonly Task[];
  imported: readonly { name: string; description: string; text: string }[];
  /** The right option of an operation at the time of a task. */
  right(operation: string, n: number): string;
  /** Of the operations that are known by name; others have the common one. */
  operation(name: string): Operation;
  /** What the person says behind a task, if anything. */
  followUp(task: Task, succeeded: boolean): FollowUp | null;
  /** The word on a task some sessions later, if any. */
  rating(task: Task, succeeded: boolean): { rating: "up" | "down"; correction?: string } | null;
  /** What the task's own check says. */
  checkSays(task: Task, succeeded: boolean): boolean;
}

export function createWorld(parameters: Parameters, seed: number): World {
  const { stream, changes, labels } = parameters;
  const families = shuffled(familiesIn(parameters), seed, "families");
  const shares = families.map((_family, rank) => (rank + 1) ** -stream.familySkew);
  const operations = new Map(
    [...families.flatMap((family) => family.operations), ...STRAY_SKILLS.map((skill) => skill.operation)].map(
      (operation) => [operation.name, operation] as const,
    ),
  );
  const [highest, lowest] = changes.reversalRank;
  const ranks = families.slice(highest - 1, lowest);
  const reversed = pick(ranks.length > 0 ? ranks : families, seed, "reversed");
  const familyOf = new Map(families.flatMap((family) => family.operations.map(({ name }) => [name, family] as const)));

  function operation(name: string): Operation {
    return operations.get(name) ?? { name, ...OTHER_OPTIONS, values: trimValues([...OTHER_OPTIONS.values], stream) };
  }

  function right(name: string, n: number): string {
    const { values } = operation(name);
    const others = values.slice(1);
    const first = pick(others, seed, name, "right");
    const family = familyOf.get(name);
    if (!family) return first;
    if (n > changes.reversalAt && family === reversed) return values[0];
    if (n <= changes.driftAt || !drifts(name)) return first;
    return pick(
      others.filter((value) => value !== first),
      seed,
      name,
      "drifted",
    );
  }

  /** Exactly the share of all, so that seeds differ in which, not in how many. */
  const drifting = new Set(
    shuffled([...familyOf.keys()], seed, "drift").slice(0, Math.round(changes.driftShare * familyOf.size)),
  );
  function drifts(name: string): boolean {
    return drifting.has(name);
  }

  function make(n: number, family: Family | null, wording: string | null): Task {
    const job = `${seed}.${String(n).padStart(3, "0")}`;
    const wanted = 1 + pickWeighted(stream.atomsPerTask, seed, n, "atoms");
    if (!family) {
      const words = Array.from({ length: 5 }, (_, at) => inventedWord((seed * 131 + n) * 5 + at));
      const name = `${words[0]} run`;
      const text = pick(ONE_OFFS, seed, n, "wording").replace(/\{(\d)\}/g, (_all, at) => words[Number(at)]!);
      const mark = happens(ONE_OFF_MARKED, seed, n, "marked") ? " Just this once." : "";
      return finish({ n, job, family, operations: [operation(name)], text: `${text}${mark}` });
    }
    const chosen = shuffled(family.operations, seed, n, "which").slice(0, wanted);
    const text = wording ?? pick(family.wordings, seed, n, "wording");
    return finish({ n, job, family, operations: chosen, text });
  }

  function finish({
    n,
    job,
    family,
    operations: chosen,
    text,
  }: Omit<Task, "request" | "injection"> & { text: string }) {
    const names = chosen.map(({ name }) => `\`${name}\``).join(", ");
    const isInjected = n <= stream.sessions && happens(parameters.injection.share, seed, n, "injected");
    const kinds = Object.keys(parameters.injection.kinds) as InjectionKind[];
    const kind = kinds[pickWeighted(Object.values(parameters.injection.kinds), seed, n, "kind")];
    const injection = isInjected && kind ? makeInjection(kind, seed, n) : null;
    return { n, job, family, operations: chosen, request: `${text} Use ${names}. #${job}`, injection };
  }

  function taskOf(n: number): Task {
    if (happens(stream.oneOffShare, seed, n, "one-off")) return make(n, null, null);
    return make(n, families[pickWeighted(shares, seed, n, "family")]!, null);
  }

  function heldOutTask(at: number): Task {
    const family = families[at % families.length]!;
    const wording = family.heldOut[Math.floor(at / families.length) % family.heldOut.length]!;
    return make(stream.sessions + 1 + at, family, wording);
  }

  function importedSkill(at: number) {
    const owner = at < stream.importedOnFamilies ? families.toSorted(byKey)[at] : undefined;
    if (owner) {
      const atom = pick(owner.operations, seed, owner.key, "imported atom");
      const wrong = atom.values.slice(1).filter((value) => value !== right(atom.name, 1));
      return toImported(owner.imported, atom, pick(wrong, seed, owner.key, "imported option"));
    }
    const skill = STRAY_SKILLS[at % STRAY_SKILLS.length]!;
    return toImported(skill, skill.operation, skill.operation.values[0]);
  }

  /** One operation of the task, and what the person thinks it wants: wrong, where the whole word is. */
  function correctionOf(task: Task, isFalse: boolean, key: string): { operation: string; option: string } {
    const { name, values } = pick(task.operations, seed, task.n, key, "which");
    const answer = right(name, task.n);
    const others = values.filter((value) => value !== answer);
    return { operation: name, option: isFalse ? pick(others, seed, task.n, key, "wrong") : answer };
  }

  return {
    seed,
    parameters,
    families,
    operation,
    right,
    tasks: Array.from({ length: stream.sessions }, (_, at) => taskOf(at + 1)),
    heldOut: Array.from({ length: parameters.heldOut.tasks }, (_, at) => heldOutTask(at)),
    imported: Array.from({ length: stream.imported }, (_, at) => importedSkill(at)),
    followUp(task, succeeded) {
      if (!happens(labels.followUp, seed, task.n, "follow-up")) return null;
      const isFalse = happens(labels.false, seed, task.n, "false follow-up");
      if (succeeded !== isFalse) {
        return { kind: "thanks", text: `${pick(THANKS, seed, task.n, "thanks")} #${task.job}`, says: null };
      }
      if (!happens(labels.correction, seed, task.n, "correction")) {
        return { kind: "complaint", text: `${pick(REPLIES, seed, task.n, "complaint")} #${task.job}`, says: null };
      }
      const says = correctionOf(task, isFalse, "follow-up");
      const opening = pick(CORRECTIONS, seed, task.n, "complaint");
      return { kind: "correction", text: `${opening} ${told(says, task.n)} #${task.job}`, says };
    },
    rating(task, succeeded) {
      if (!happens(labels.rating, seed, task.n, "rating")) return null;
      const isFalse = happens(labels.false, seed, task.n, "false rating");
      if (succeeded !== isFalse) return { rating: "up" };
      if (!happens(labels.correction, seed, task.n, "rated correction")) return { rating: "down" };
      return { rating: "down", correction: `${told(correctionOf(task, isFalse, "rating"), task.n)} #${task.job}` };
    },
    checkSays: (task, succeeded) => succeeded !== happens(labels.false, seed, task.n, "false check"),
  };

  function told({ operation: name, option }: { operation: string; option: string }, n: number): string {
    return sayOption({ operation: name, flag: operation(name).flag, option }, draw(seed, n, "told"));
  }
}

/** Those that take part in any seed's world. */
export function familiesIn({ stream }: Parameters): Family[] {
  return FAMILIES.slice(0, stream.families).map((family) => trim(family, stream));
}

/** Of one-off requests, those that say so: people do, not always. */
const ONE_OFF_MARKED = 0.5;

const ONE_OFFS = [
  "Please {1} the {0} of {2} before {3} and {4}.",
  "The {0} from {2} is {3}: {1} it for {4}.",
  "Could you {1} all {2} into a {0} with {3}, {4} too?",
  "For {4}, please: {0} and {2}, then {1} by {3}.",
] as const;

function trim(family: Family, { atomsPerFamily, optionsPerAtom }: Parameters["stream"]): Family {
  const operations = family.operations.slice(0, atomsPerFamily).map((operation) => ({
    ...operation,
    values: trimValues([...operation.values], { optionsPerAtom }),
  }));
  return { ...family, operations };
}

function trimValues(values: string[], { optionsPerAtom }: Pick<Parameters["stream"], "optionsPerAtom">) {
  return values.slice(0, optionsPerAtom) as [string, ...string[]];
}

function byKey(a: Family, b: Family): number {
  return a.key < b.key ? -1 : 1;
}

function toImported(
  { name, description }: { name: string; description: string },
  operation: Operation,
  option: string,
) {
  const line = sayOption({ operation: operation.name, flag: operation.flag, option }, draw(name));
  const text = `---\nname: ${name}\ndescription: ${description}\n---\n\n# How we do it\n\n${line}\n\nAsk when in doubt.\n`;
  return { name, description, text };
}
