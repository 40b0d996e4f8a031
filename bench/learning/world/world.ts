// Creates one seed's world: its tasks, the right option of each operation and when it changes, injected outputs, and the person's
// replies. A pure function of the parameters, the surfaces and the seed. It must not depend on an arm or a model.
import { draw, happens, pick, pickWeighted, shuffled } from "./draws.ts";
import type { Operation } from "./outputs.ts";
import type { Parameters } from "./parameters.ts";
import { createPerson } from "./person.ts";
import {
  AREAS,
  OTHER_OPERATION,
  OTHER_OPTIONS,
  type OperationValues,
  STRAY_OPERATIONS,
  inventWord,
} from "./service.ts";
import { sayOption } from "../models/statements.ts";
import { spellOption, drawStyle } from "./styles.ts";
import type { Kind } from "./kinds.ts";
import type { Surfaces } from "./surfaces.ts";
import type { Family, Task, World } from "./tasks.ts";
import { describeKind } from "../models/wording.ts";

export function createWorld(parameters: Parameters, surfaces: Surfaces, seed: number): World {
  const { stream, changes } = parameters;
  const families = createFamilies(parameters, surfaces, seed);
  const shares = families.map((_family, rank) => (rank + 1) ** -stream.familySkew);
  const strays = STRAY_OPERATIONS.map((values) => toOperation(values, parameters, surfaces));
  const operations = new Map(
    [...families.flatMap((family) => family.operations), ...strays].map((one) => [one.name, one] as const),
  );
  const [highest, lowest] = changes.reversalRank;
  const ranks = families.slice(highest - 1, lowest);
  const reversed = pick(ranks.length > 0 ? ranks : families, seed, "reversed");
  const familyByOperation = new Map(
    families.flatMap((family) => family.operations.map(({ name }) => [name, family] as const)),
  );
  /** Exactly this share of all operations: seeds differ in which operations, not in how many. */
  const drawOperations = (share: number, what: string) =>
    new Set(shuffled([...familyByOperation.keys()], seed, what).slice(0, Math.round(share * familyByOperation.size)));
  const drifting = drawOperations(changes.driftShare, "drift");
  const silent = drawOperations(parameters.tools.silent, "silent");

  function operation(name: string): Operation {
    return (
      operations.get(name) ?? {
        ...toOperation({ ...OTHER_OPTIONS, name: OTHER_OPERATION }, parameters, surfaces),
        name,
      }
    );
  }

  function right(name: string, n: number): string {
    const { values } = operation(name);
    const others = values.slice(1);
    const first = pick(others, seed, name, "right");
    const family = familyByOperation.get(name);
    if (!family) return first;
    if (n > changes.reversalAt && family === reversed) return values[0];
    if (n <= changes.driftAt || !drifting.has(name)) return first;
    const changed = others.filter((value) => value !== first);
    return pick(changed, seed, name, "drifted");
  }

  const wordings = new Set(families.flatMap((family) => [...family.wordings, ...family.heldOut]));
  const foreign = surfaces.kinds.filter((kind) => !kind.wordings.some((text) => wordings.has(text)));
  const strange = foreign.flatMap(({ lang, wordings: texts }) => texts.map((text) => ({ text, lang })));
  const oneOffs = shuffled([...strange, ...surfaces.queries.map((text) => ({ text, lang: "en" }))], seed, "one-offs");
  const poisoned = shuffled(surfaces.poison, seed, "poison");
  const remarks = surfaces.replies.filter(({ verdict }) => verdict === "none");
  let injections = 0;

  function createTask(n: number, family: Family | null, { text, lang }: { text: string; lang: string }): Task {
    const isInStream = n <= stream.sessions;
    const job = `${seed}.${String(n).padStart(3, "0")}`;
    const operationCount = 1 + pickWeighted(stream.atomsPerTask, seed, n, "atoms");
    const chosen = family
      ? shuffled(family.operations, seed, n, "which").slice(0, operationCount)
      : [operation(`${inventWord(seed * 131 + n)} run`)];
    const isMarkedOneOff = family === null && happens(ONE_OFF_MARKED, seed, n, "marked");
    const sentences = [
      text,
      ...(happens(stream.remarks, seed, n, "remark") ? [pick(remarks, seed, n, "which remark").reply] : []),
      ...(isMarkedOneOff ? [pick(ONE_OFF_MARKS, seed, n, "which mark")] : []),
    ];
    const isInjected = isInStream && happens(parameters.injection.share, seed, n, "injected");
    const injection = isInjected ? poisoned[injections++ % poisoned.length]! : null;
    const request = `${sentences.join("\n")} #${job}`;
    return { n, job, family, lang, operations: chosen, request, isMarkedOneOff, injection };
  }

  function drawTask(n: number): Task {
    if (happens(stream.oneOffShare, seed, n, "one-off")) return createTask(n, null, oneOffs[n % oneOffs.length]!);
    const family = families[pickWeighted(shares, seed, n, "family")]!;
    return createTask(n, family, { text: pick(family.wordings, seed, n, "wording"), lang: family.lang });
  }

  function heldOutTask(at: number): Task {
    const asked = families.filter(({ heldOut }) => heldOut.length > 0);
    const family = asked[at % asked.length]!;
    const text = pick(family.heldOut, seed, at, "held out");
    return createTask(stream.sessions + 1 + at, family, { text, lang: family.lang });
  }

  function importedSkill(at: number) {
    const owner =
      at < stream.importedOnFamilies ? families.toSorted((a, b) => (a.key < b.key ? -1 : 1))[at] : undefined;
    if (owner) {
      const atom = pick(owner.operations, seed, owner.key, "imported atom");
      const wrong = atom.values.slice(1).filter((value) => value !== right(atom.name, 1));
      const description = `Handbook: ${describeKind(owner.wordings[0]!)} (${owner.key}).`;
      return toImported(`${owner.key}-handbook`, description, atom, pick(wrong, seed, owner.key, "imported option"));
    }
    const { name, query } = shuffled(surfaces.skills, seed, "strays")[at % surfaces.skills.length]!;
    const stray = strays[at % strays.length]!;
    return toImported(`${name}-notes-${at}`, `Notes for ${describeKind(query)}.`, stray, stray.values[0]);
  }

  const tasks = Array.from({ length: stream.sessions }, (_, at) => drawTask(at + 1));
  const heldOut = Array.from({ length: parameters.heldOut.tasks }, (_, at) => heldOutTask(at));
  const byJob = new Map([...tasks, ...heldOut].map((task) => [task.job, task]));
  return {
    ...{ seed, parameters, surfaces, families, tasks, heldOut, right, operation },
    imported: Array.from({ length: stream.imported }, (_, at) => importedSkill(at)),
    task: (job) => byJob.get(job),
    isSilent: (name) => silent.has(name),
    ...createPerson({ parameters, surfaces, seed, operation, right }),
  };
}

/** Looks up worlds by seed, which is the first part of a job. */
export function createWorlds(parameters: Parameters, surfaces: Surfaces): (job: string) => World {
  const worlds = new Map<number, World>();
  return (job) => {
    const seed = Number(job.split(".")[0]);
    const known = worlds.get(seed) ?? createWorld(parameters, surfaces, seed);
    worlds.set(seed, known);
    return known;
  };
}

/** Every operation in the service's list, the same for all seeds. The last entry is for unlisted operations. */
export function createOperations(parameters: Parameters, surfaces: Surfaces): Operation[] {
  const { families, atomsPerFamily } = parameters.stream;
  const known = AREAS.slice(0, families).flatMap(({ operations }) => operations.slice(0, atomsPerFamily));
  const other = { ...OTHER_OPTIONS, name: OTHER_OPERATION };
  return [...known, other].map((operation) => toOperation(operation, parameters, surfaces));
}

function toOperation({ name, flag, values }: OperationValues, { stream }: Parameters, { styles }: Surfaces): Operation {
  const some = values.slice(0, stream.optionsPerAtom) as [string, ...string[]];
  return { name, flag, values: some, style: drawStyle(styles, name) };
}

/** Families from lookalike kinds first, then from kinds with several wordings. Every second such family holds one wording out. */
function createFamilies(parameters: Parameters, surfaces: Surfaces, seed: number): Family[] {
  const { stream } = parameters;
  const areas = shuffled(AREAS.slice(0, stream.families), seed, "areas");
  const alike = shuffled(surfaces.lookalikes, seed, "lookalikes").slice(0, stream.lookalikes).flat();
  const several = surfaces.kinds.flatMap(({ wordings }, at) => (wordings.length > 1 ? [at] : []));
  const places = [...new Set([...alike.slice(0, Math.max(0, areas.length - 1)), ...shuffled(several, seed, "kinds")])];
  const kinds = shuffled(places.slice(0, areas.length), seed, "families").map((at): Kind => surfaces.kinds[at]!);
  let reserving = 0;
  return areas.map(({ key, operations }, at) => {
    const { lang, wordings } = kinds[at]!;
    const mixed = shuffled(wordings, seed, key, "wordings");
    const keepsBack = wordings.length > 1 && reserving++ % 2 === 0;
    return {
      ...{ key, lang, wordings: keepsBack ? mixed.slice(1) : mixed, heldOut: keepsBack ? mixed.slice(0, 1) : [] },
      operations: operations
        .slice(0, stream.atomsPerFamily)
        .map((operation) => toOperation(operation, parameters, surfaces)),
    };
  });
}

/** The share of one-off requests that say so, as people sometimes do. */
const ONE_OFF_MARKED = 0.5;
const ONE_OFF_MARKS = [
  "Just this once.",
  "It is a one-time thing.",
  "Das kommt nicht wieder vor.",
  "C'est seulement pour cette fois.",
  "I won't ask for that again.",
] as const;

function toImported(name: string, description: string, { name: operation, flag, style }: Operation, option: string) {
  const line = sayOption({ operation, spelled: spellOption(flag, style, option) }, draw(name));
  const about = JSON.stringify(description);
  const text = `---\nname: ${name}\ndescription: ${about}\n---\n\n# How we do it\n\n${line}\n\nAsk when in doubt.\n`;
  return { name, description, text };
}
