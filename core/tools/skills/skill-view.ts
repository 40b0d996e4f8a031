// The tool skill_view: loads a skill's text or one of its support files. The `text` of its outcome is the fingerprint of what
// was read; the record of a turn shows by it which skills were loaded.
import * as z from "zod";
import type { Tool } from "../../agent/contract.ts";
import { succeed } from "../../agent/tool-result.ts";
import type { Settings } from "../../schemas/settings.ts";
import { setupNote } from "../../skills/format/conditions.ts";
import { SKILL_MD } from "../../skills/format/format.ts";
import type { Library, SkillView } from "../../skills/library.ts";
import { takeStart } from "../clip.ts";
import { toRefusal } from "../refusal.ts";

const Args = z.strictObject({
  name: z.string().describe("The skill's name, as listed."),
  path: z.string().optional().describe("A support file, such as references/details.md. SKILL.md when absent."),
  offset: z.int().min(0).optional().describe("Where to read on in a long file: the next_offset of the call before."),
});

export interface SkillViewOptions {
  library: Library;
  settings: Settings;
  /** Called for each SKILL.md that was written for other tools than the present ones. */
  onChanged?(view: SkillView, op: string): Promise<void>;
}

export function createSkillView(options: SkillViewOptions): Tool<z.infer<typeof Args>> {
  const { library, settings, onChanged } = options;
  return {
    name: "skill_view",
    description: "Loads a skill: its SKILL.md and the list of its files, or the one file named by path.",
    parameters: Args,
    effect: "read",
    staysInside: true,
    keepsResults: true,
    showsOnce: true,
    async run({ name, path, offset = 0 }, { op }) {
      const found = await library.view(name, path || undefined);
      if (!found.ok) return toRefusal(found.failure);
      if (found.value.changed) await onChanged?.(found.value, op);
      const { content, companion, notice, broken, missing, bundle, failedWords, ...view } = found.value;
      const isMain = view.path === SKILL_MD;
      const outcome = {
        name: view.name,
        path: view.path,
        text: view.text,
        state: view.state,
        ...(isMain && { readiness: missing ? "setup_needed" : "available" }),
        files: view.files,
        ...(view.extends && { extends: view.extends }),
        ...(isMain && failedWords && { failed_words: failedWords.map(({ word }) => word) }),
        ...(companion && { companion: toCompanion(companion) }),
        ...(isMain && bundle && { bundle, next: "A bundle: load what it names, in that order, then do what it says." }),
        ...(isMain && missing && { missing: { ...missing }, setup_note: setupNote(missing) }),
        ...(notice && { notice }),
      };
      const own = broken && isMain ? { broken } : {};
      const room = settings.turn.maxResultChars - JSON.stringify([outcome, own]).length - ENVELOPE_CHARS;
      const piece = takeStart(content.slice(offset), Math.max(room, MIN_PIECE_CHARS));
      const end = offset + piece.length;
      const more = end < content.length ? { next_offset: end, chars: content.length } : {};
      return succeed({ ...outcome, ...more }, { own: { ...own, content: piece } });
    },
  };
}

function toCompanion({ failedWords, ...companion }: NonNullable<SkillView["companion"]>) {
  return { ...companion, ...(failedWords && { failed_words: failedWords.map(({ word }) => word) }) };
}

/** Room for `next_offset`, `chars` and the keys. */
const ENVELOPE_CHARS = 100;
/** The list of files never takes all of the room: reading must advance. */
const MIN_PIECE_CHARS = 500;
