// The tool skills_list: finds skills by words or category. Reads the index, and searches the Archive if there is one.
import * as z from "zod";
import type { Tool } from "../../agent/contract.ts";
import { succeed } from "../../agent/tool-result.ts";
import type { Library } from "../../skills/library.ts";
import { type SkillSearch, searchLines } from "./skill-search.ts";

const MAX_LISTED = 100;
const MAX_FOUND = 20;

const Args = z.strictObject({
  query: z
    .string()
    .optional()
    .describe("Words of the task, such as `parse log files`, or sentences about it. Best matches come first."),
  category: z.string().optional().describe("Only this category."),
});

export function createSkillsList(options: { library: Library; search?: SkillSearch }): Tool<z.infer<typeof Args>> {
  const { library, search } = options;
  return {
    name: "skills_list",
    description:
      "Lists the skills that can be loaded, with what each is for. Give a query to search all of them, and when nothing fits, other wordings of it; load one with skill_view.",
    parameters: Args,
    effect: "read",
    staysInside: true,
    async run({ query, category }) {
      const offered = await library.offered();
      const inCategory = category ? offered.filter((line) => line.category === category) : offered;
      const isSearch = Boolean(query?.trim());
      const found = isSearch ? await searchLines(inCategory, query!, search) : inCategory;
      const shown = found.slice(0, isSearch ? MAX_FOUND : MAX_LISTED);
      const skills = shown.map(({ name, description, category: at, state, extends: base }) => ({
        name,
        description,
        category: at,
        state,
        ...(base && { extends: base }),
      }));
      return succeed(
        { count: found.length, hint: hintFor(found.length, shown.length, offered.length) },
        { own: { skills } },
      );
    },
  };
}

function hintFor(found: number, shown: number, offered: number): string {
  if (offered === 0) return "There are no skills yet.";
  if (found === 0)
    return "Nothing matches. Try two or three other wordings: other words for the same work, the general term, English. Or give no query and no category for all skills.";
  if (shown < found) return `Only the first ${shown} are shown: narrow the query.`;
  return "Load what fits with skill_view; of several take the one or two most specific. If none fits, try another wording.";
}
