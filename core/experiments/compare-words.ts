// Compares a text with what it rests on, before anything is run: it may give another value than the person did in the words that it cites, or than
// the call that it cites. Called by pump.ts. Costs no model call. What is read of the sessions is not kept.
import { type Cited, findContradictedValues } from "../learning/told-values.ts";
import { type Citation, fromCitation } from "../schemas/ids.ts";
import { isPurged } from "../schemas/skill.ts";
import type { PumpContext } from "./advance.ts";
import { MAX_LOOKED_BACK, readArm } from "./arm-texts.ts";
import type { StoredExperiment } from "./rows.ts";

/** Each is a question to a session. [own] */
const MAX_ASKED = 12;

type Place = ReturnType<typeof fromCitation>;

/** The values of the text that contradict what it cites; empty: none. */
export async function findContradictions(context: PumpContext, experiment: StoredExperiment): Promise<string[]> {
  if (experiment.citations.length === 0) return [];
  const text = await readArm(context, experiment, "with");
  const parent = experiment.parent === null ? null : await readArm(context, experiment, "parent");
  // Without its parent it is unknown which lines are the text's own.
  if (!text.ok || parent?.ok === false) return [];
  const own = experiment.citations.map(fromCitation);
  const before = (await listParentCitations(context, experiment)).map(fromCitation);
  const newer = before.filter((place) => own.every((one) => isNewer(place, one)));
  const texts = { before: parent?.value ?? {}, after: text.value ?? {} };
  // A late review of older work does not overrule what newer work has shown.
  const found: string[] = [];
  for (const places of [own, newer]) found.push(...findContradictedValues(texts, await readCited(context, places)));
  return [...new Set(found)];
}

async function readCited({ host }: PumpContext, places: Place[]): Promise<Cited> {
  const calls = places.filter(({ source }) => source === "outcome");
  const [said, called]: [string[], string[][]] = [[], []];
  for (const { session, entry, source } of [...listLastWords(places), ...calls].slice(0, MAX_ASKED)) {
    const turn = await host.turns.describe({ session, entry });
    if (turn && source === "principal") said.push(turn.said);
    else if (turn) called.push(turn.called);
  }
  return { said, called };
}

/** What the text before it cites. It may be newer than all that this text rests on. */
async function listParentCitations({ host }: PumpContext, { skill, parent }: StoredExperiment): Promise<Citation[]> {
  if (parent === null) return [];
  const revisions = await host.skills.revisions(skill, { limit: MAX_LOOKED_BACK });
  const found = revisions.find((one) => !isPurged(one) && one.text === parent);
  return found && !isPurged(found) ? found.citations : [];
}

/** A call that was made after the person's words may have shown otherwise, so words count only where nothing newer is cited. */
function listLastWords(places: readonly Place[]): Place[] {
  const others = places.filter(({ source }) => source !== "principal");
  return places.filter((place) => place.source === "principal" && !others.some((one) => isNewer(one, place)));
}

/** Ids of sessions sort by time. */
function isNewer(one: Place, than: Place): boolean {
  return one.session === than.session ? one.entry > than.entry : one.session > than.session;
}
