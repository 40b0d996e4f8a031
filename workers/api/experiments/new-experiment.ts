// What is asked of a profile's experiments when a person wants a text tried. Called by experiments.ts. Reads the library, writes nothing.
import { ulid } from "ulid";
import type { NewExperiment } from "../../../core/experiments/ports.ts";
import { toAbout } from "../../../core/experiments/present-text.ts";
import type { SkillStore } from "../../../core/ports.ts";
import { type FileBodies, textOrEmpty, toBytes } from "../../../core/schemas/file-body.ts";
import type { SkillName, TurnId } from "../../../core/schemas/ids.ts";
import { hashFiles, sha256Hex, textOfFiles } from "../../../core/schemas/learning/digest.ts";
import { MAX_TRIED_BYTES } from "../../../core/schemas/learning/experiment-api.ts";
import type { ImportedSkill } from "../../../core/skills/exchange/import.ts";
import { SKILL_MD, parseSkill } from "../../../core/skills/format/format.ts";
import { openRevision } from "../../../core/skills/history.ts";
import { followsBundle } from "../../../core/skills/library.ts";
import { toShownFindings } from "../../../core/skills/scanner/finding.ts";
import { scanPackage } from "../../../core/skills/scanner/scan-package.ts";
import { verdictOf } from "../../../core/hub/package/report.ts";
import { AppError, unwrap } from "../problems.ts";
import { bundledFiles } from "../skills/skills.ts";

/** The `Idempotency-Key` of the request, what the person grants, and the turns that they name. */
export interface AskedBy {
  key: string | undefined;
  tokens: number | undefined;
  turns: TurnId[] | undefined;
}

/** A text of the library. Throws `skill_not_found`, `revision_not_found`, `revision_purged`. */
export async function ofRevision(
  store: SkillStore,
  { name, rev }: { name: SkillName; rev: number | undefined },
  by: AskedBy,
): Promise<NewExperiment> {
  const wish = { ...toWish(`POST /v1/skills/${name}/replay`, by, rev), skill: name, occasion: "asked" as const };
  const head = await store.head(name);
  if (rev === undefined && (head === null || followsBundle(head))) {
    const files = bundledFiles(name);
    return {
      ...wish,
      text: textOfFiles(hashFiles(files)),
      parent: null,
      citations: [],
      about: describe(files),
      given: files,
    };
  }
  if (head === null) bundledFiles(name); // no such skill at all: that says more than a missing revision
  const chosen = rev ?? head!.rev;
  const { revision, files } = unwrap(await openRevision(store, name, chosen));
  const { text, parent = null, citations } = revision;
  return { ...wish, rev: chosen, text, parent, citations, about: describe(files) };
}

/**
 * A text that is not in the library, and stays out of it. A skill of that name that is offered here is what it would replace. Throws
 * `skill_dangerous` and `too_large`.
 */
export async function ofGiven(
  store: SkillStore,
  { name, files }: Pick<ImportedSkill, "name" | "files">,
  by: AskedBy,
): Promise<NewExperiment> {
  assertSmall(files);
  assertHarmless(files);
  const head = await store.head(name);
  const text = textOfFiles(hashFiles(files));
  const isReplaced = head !== null && head.state !== "archived" && head.state !== "pending" && head.text !== text;
  const wish = { ...toWish("POST /v1/skills/try", by, `${name} ${text}`), skill: name, occasion: "try" as const };
  return { ...wish, text, parent: isReplaced ? head.text : null, citations: [], about: describe(files), given: files };
}

/** `what`: the revision or the text that the request names, if it names one. */
function toWish(
  route: string,
  { key, tokens, turns }: AskedBy,
  what?: number | string,
): Pick<NewExperiment, "key" | "sent" | "session" | "tokens" | "named"> {
  const own = key === undefined ? ulid() : sha256Hex(`${route} ${key}`);
  const sent = JSON.stringify([what ?? null, tokens ?? null, turns ?? null]);
  const given = { ...(tokens !== undefined && { tokens }), ...(turns && { named: turns }) };
  return { key: `asked:${own}`, sent, session: null, ...given };
}

function describe(files: FileBodies): string {
  const parsed = parseSkill(textOrEmpty(files[SKILL_MD]), { fallbackName: "unnamed" });
  return toAbout(parsed.ok ? parsed.value.description : "", files);
}

function assertSmall(files: FileBodies): void {
  const bytes = Object.values(files).reduce((sum, body) => sum + toBytes(body).length, 0);
  if (bytes <= MAX_TRIED_BYTES) return;
  const detail = `The skill has ${bytes} bytes; one that is tried has at most ${MAX_TRIED_BYTES}. Leave out what its text does not need.`;
  throw new AppError("too_large", detail);
}

/** A person may import such a text, having read it. A model may not: it would do what the text says. */
function assertHarmless(files: FileBodies): void {
  const { findings } = scanPackage(files);
  if (verdictOf(findings) !== "dangerous") return;
  const worst = findings.find(({ severity }) => severity === "critical")!;
  throw new AppError(
    "skill_dangerous",
    `It was not tried. The scanner found text that would do harm if an agent followed it, first in ${worst.path}. No setting lifts this.`,
    { facts: { findings: toShownFindings(findings) } },
  );
}
