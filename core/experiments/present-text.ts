// What is asked of a profile's experiments about texts that were just written: one of a review, of a curation, of an import or of the hub.
// Called by the session, the Account and the API, each only where the profile grants experiments. Writes nothing to the library.
import type { CurationStore, SkillSnapshot, SkillStore } from "../ports.ts";
import { type FileBodies, textOrEmpty } from "../schemas/file-body.ts";
import type { CurationId, ProfileId, SkillName } from "../schemas/ids.ts";
import type { CurationWork } from "../schemas/learning/curation.ts";
import type { Occasion } from "../schemas/learning/experiment.ts";
import { REQUESTS_FILE, readRequests } from "../schemas/skill-requests.ts";
import type { SkillHead } from "../schemas/skill.ts";
import type { ExperimentCalls, NewExperiment } from "./ports.ts";

type Asked = Pick<NewExperiment, "key" | "occasion" | "session">;

/** About the skill as it is now. `null`: it is archived, or waits for a person. */
export function ofPresentText({ head, files }: SkillSnapshot, asked: Asked): NewExperiment | null {
  if (head.state === "archived" || head.state === "pending") return null;
  const { name, rev, text, parent = null, citations, description } = head;
  return { ...asked, skill: name, rev, text, parent, citations, about: toAbout(description, files) };
}

/** What similar work is searched with: the text's description and its requests, a line each. */
export function toAbout(description: string, files: FileBodies): string {
  const requests = readRequests(textOrEmpty(files[REQUESTS_FILE]));
  return [description, ...requests].filter((line) => line !== "").join("\n");
}

/** A text that the work of a curation wrote. */
interface CuratedText extends Pick<SkillHead, "name" | "rev" | "text"> {
  run: CurationId;
  occasion: Extract<Occasion, "rewrite" | "merge">;
}

/** [own] Runs that one look reads. */
const MAX_RUNS = 20;

/**
 * Asks for an experiment of each text that curations since `since` wrote and that is still in the library. The curator reaches nothing but its
 * stores, so the profile's Account looks at what it left. Asked again, it asks with the same keys.
 */
export async function askForCurated(options: {
  curation: Pick<CurationStore, "runs" | "works">;
  skills: Pick<SkillStore, "open">;
  experiments: Pick<ExperimentCalls, "take">;
  profile: ProfileId;
  since: CurationId;
}): Promise<void> {
  const { curation, skills, experiments, profile, since } = options;
  const runs = (await curation.runs(profile)).filter((run) => run > since).slice(0, MAX_RUNS);
  for (const run of runs.toReversed()) {
    const works = await curation.works(profile, run);
    for (const { name, rev, text, occasion } of works.flatMap(toCuratedTexts)) {
      const snapshot = await skills.open(name);
      if (snapshot?.head.text !== text) continue;
      const asked = ofPresentText(snapshot, { key: `curation:${run}:${name}:${rev}`, occasion, session: null });
      if (asked) await experiments.take(asked);
    }
  }
}

/** The last text of each skill. */
function toCuratedTexts({ run, changes, merges }: CurationWork): CuratedText[] {
  const umbrellas = new Set<SkillName>(merges.map(({ umbrella }) => umbrella));
  const written = changes.filter(({ from, to }) => to.state !== "archived" && to.text !== from?.text);
  const texts = written.map(({ skill, to: { rev, text } }): CuratedText => {
    return { run, name: skill, rev, text, occasion: umbrellas.has(skill) ? "merge" : "rewrite" };
  });
  return [...new Map(texts.map((one) => [one.name, one])).values()];
}
