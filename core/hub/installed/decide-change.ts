// The decisions that an install and an update hand to `SkillStore.change`, which runs them again on every fresh head. Pure.
import { clip } from "../../clip.ts";
import { type Result, err, ok } from "../../errors.ts";
import { FIXED } from "../../limits.ts";
import type { SkillChange, SkillNext, SkillSnapshot } from "../../ports.ts";
import { type FileBodies, textOrEmpty } from "../../schemas/file-body.ts";
import type { Sha256, SkillName } from "../../schemas/ids.ts";
import { hashFiles, textOfFiles } from "../../schemas/learning/digest.ts";
import { REQUESTS_FILE } from "../../schemas/skill-requests.ts";
import { checkImportName } from "../../skills/edit/protection.ts";
import { SKILL_MD, parseSkill } from "../../skills/format/format.ts";
import type { Health } from "../../skills/health.ts";
import { liftWithdrawal } from "../../skills/history.ts";
import type { Seeds } from "../../skills/library.ts";
import { type HubCandidate, isFrom, toProvenance } from "../package/candidate.ts";

/**
 * A new skill of the hub is on trial until it has helped here. The same package again changes nothing. A skill that came from elsewhere is never
 * taken over. A person who installs an archived or withdrawn skill again wants it back. Failures: `skill_exists`, `companion_name`.
 */
export function toInstall(
  candidate: HubCandidate,
  { seeds, health }: { seeds: Seeds; health?: Health | undefined },
): SkillChange["decide"] {
  const { name, files, description, category, ref, hash } = candidate;
  return (current, index) => {
    const refusal = checkImportName(name, { ...seeds, ...index.skills });
    if (refusal && !isFrom(current?.head.from, ref)) return { ok: false, failure: refusal };
    const isArchived = current?.head.state === "archived";
    if (current && !isArchived && isFrom(current.head.from, ref)) {
      if (current.head.from?.hash === hash) return ok({});
      return err("skill_exists", `\`${name}\` is installed from there in another version: update it instead.`);
    }
    if (current ? !isArchived : Object.hasOwn(seeds, name)) {
      return err(
        "skill_exists",
        `There is already a skill \`${name}\`, which is not from there: give another \`name\`.`,
      );
    }
    return ok({
      ...{ files, description, category },
      state: "trial",
      origin: "hub",
      citations: [],
      from: toProvenance(candidate),
      reason: "Installed by a person.",
      ...(health && { health }),
      // What was known of the archived skill says nothing of this one.
      ...(isArchived && { public: false, shared: false, startsOver: true as const }),
      ...(current && liftWithdrawal(current.head, textOfFiles(hashFiles(files)))),
    });
  };
}

/** Failures: `skill_not_found`, `skill_archived`, `skill_pinned`, `skill_changed`, `skill_withdrawn`, `hub_not_installed`. */
export function checkUpdatable(
  name: SkillName,
  current: SkillSnapshot | null,
  ref: HubCandidate["ref"],
): Result<SkillSnapshot> {
  if (!current) return err("skill_not_found", `There is no skill \`${name}\`.`);
  const { state, pinned, from } = current.head;
  if (state === "archived") {
    return err("skill_archived", `\`${name}\` is archived, and an update does not bring it back. Restore it first.`);
  }
  if (pinned) return err("skill_pinned", `A person has pinned \`${name}\`. Unpin it first, then update it.`);
  if (!isFrom(from, ref)) return err("hub_not_installed", `The present \`${name}\` is not from ${ref.source}.`);
  return ok(current);
}

/** The package as it is, over a text that was not changed here, or as the first half of a merge. `seen`: the text that was compared. */
export function toPackageUpdate(
  candidate: HubCandidate,
  { seen, health }: { seen: Sha256; health?: Health | undefined },
): SkillChange["decide"] {
  return (current) => {
    const checked = checkUnchanged(candidate, current, seen);
    if (!checked.ok) return checked;
    const { head, files: present } = checked.value;
    const files = withOwnRequests(candidate.files, present);
    const { description, category } = candidate;
    return toUpdated(
      checked.value,
      { files, description, category, origin: "hub", from: toProvenance(candidate) },
      head.text,
      health,
    );
  };
}

/** The second half: the merged text over the package. It stays with who changed it here. */
export function toMergedUpdate(
  candidate: HubCandidate,
  { merged, origin, parent, seen }: { merged: FileBodies; origin: SkillNext["origin"]; parent: Sha256; seen: Sha256 },
): SkillChange["decide"] {
  return (current) => {
    const checked = checkUnchanged(candidate, current, seen);
    if (!checked.ok) return checked;
    const parsed = parseSkill(textOrEmpty(merged[SKILL_MD]), { fallbackName: candidate.name });
    if (!parsed.ok) return parsed;
    const { category } = parsed.value;
    const files = withOwnRequests(merged, checked.value.files);
    return toUpdated(
      checked.value,
      {
        files,
        description: clip(parsed.value.description, FIXED.descriptionChars),
        category,
        ...(origin && { origin }),
      },
      parent,
    );
  };
}

function checkUnchanged(
  { name, ref }: HubCandidate,
  current: SkillSnapshot | null,
  seen: Sha256,
): Result<SkillSnapshot> {
  const checked = checkUpdatable(name, current, ref);
  if (!checked.ok || checked.value.head.text === seen) return checked;
  return err("skill_changed", `\`${name}\` was changed meanwhile. Look at the update again.`);
}

function toUpdated(
  { head }: SkillSnapshot,
  next: SkillNext & { files: FileBodies },
  parent: Sha256,
  health?: Health | undefined,
): Result<SkillNext> {
  const text = textOfFiles(hashFiles(next.files));
  if (head.withdrawn?.includes(text)) {
    return err(
      "skill_withdrawn",
      `This text of \`${head.name}\` was withdrawn here because it did harm. An update does not bring it back.`,
    );
  }
  const isSame = text === head.text;
  return ok({
    ...next,
    citations: [],
    // Only a new text has to prove itself.
    ...(!isSame && { state: "trial" as const, reason: "Updated by a person.", parent }),
    ...(health && { health }),
  });
}

/** Requests were written here, and belong to the skill in any version. */
function withOwnRequests(files: FileBodies, present: FileBodies): FileBodies {
  const requests = Object.hasOwn(present, REQUESTS_FILE) ? present[REQUESTS_FILE] : undefined;
  return requests === undefined ? files : { ...files, [REQUESTS_FILE]: requests };
}
