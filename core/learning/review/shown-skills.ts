// Chooses what a reviewer sees of the library from the start: the present text of skills that the work loaded, and the names of the
// nearest ones. This saves a call or two, each of which would send the whole request again. Called once for each review, by
// review.ts, which records the text with the start. Only reads the store.
import { clip, toOneLine } from "../../clip.ts";
import { fence } from "../../prompts/fence.ts";
import type { SkillLine } from "../../schemas/api.ts";
import type { SkillName } from "../../schemas/ids.ts";
import type { ReviewJob } from "../../schemas/learning/review.ts";
import type { Library } from "../../skills/library.ts";
import { rankSkills } from "../../skills/search/ranking.ts";
import { estimateTokens } from "../../tokens.ts";

/** For all skill texts together. Skills whose text does not fit are only named. */
const MAX_TOKENS = 1_500;
const MAX_TEXTS = 3;
const MAX_NEAR = 8;
const MAX_DESCRIPTION_CHARS = 200;
/** The beginning of the requests says what kind of work it is. */
const MAX_QUERY_CHARS = 4_000;

interface ShownSkills {
  text: string;
  /** Skills whose whole text is shown. They count as read. */
  read: SkillName[];
}

export async function showSkills(
  job: Pick<ReviewJob, "observations" | "focus">,
  library: Library,
): Promise<ShownSkills> {
  const lines = await library.offered();
  if (lines.length === 0) return { text: "The library has no skills yet.", read: [] };
  const loaded = [...new Set(job.observations.flatMap((seen) => seen.loaded.map(({ skill }) => skill)).toReversed())];
  const texts = await readTexts(loaded, library);
  const read = [...texts.keys()];
  const near = nearest(lines, job, loaded).filter(({ name }) => !texts.has(name));
  const rest = lines.length - near.length - read.length;
  const more = rest > 0 ? [`There are ${rest} others, which \`skills_list\` finds.`] : [];
  return {
    text: [
      ...[...texts].map(([name, content]) => `The agent loaded the skill \`${name}\`. It is now:\n\n${fence(content)}`),
      ...(near.length > 0 ? [`The skills nearest to this work:\n\n${near.map(toLine).join("\n")}`] : []),
      ...more,
    ].join("\n\n"),
    read,
  };
}

/** Texts of the loaded skills. Bundled skills are left out, since a review does not change them. */
async function readTexts(loaded: SkillName[], library: Library): Promise<Map<SkillName, string>> {
  const texts = new Map<SkillName, string>();
  let left = MAX_TOKENS;
  for (const name of loaded.slice(0, MAX_TEXTS)) {
    const view = await library.view(name);
    if (!view.ok || (view.value.origin === "bundled" && !view.value.companion)) continue;
    const tokens = estimateTokens(view.value.content);
    if (tokens > left) continue;
    left -= tokens;
    texts.set(name, view.value.content);
  }
  return texts;
}

/** Loaded skills first, then those that share words with the requests. */
function nearest(
  lines: SkillLine[],
  { observations, focus = "" }: Pick<ReviewJob, "observations" | "focus">,
  loaded: SkillName[],
) {
  const asked = [focus, ...observations.map(({ request }) => request).toReversed()]
    .join("\n")
    .slice(0, MAX_QUERY_CHARS);
  const used = lines.filter(({ name }) => loaded.includes(name));
  return [...new Set([...used, ...rankSkills(lines, asked)])].slice(0, MAX_NEAR);
}

function toLine({ name, description, state }: SkillLine): string {
  return `- ${name} (${state}): ${clip(toOneLine(description), MAX_DESCRIPTION_CHARS)}`;
}
