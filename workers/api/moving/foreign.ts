// Writes an archive that no trusted deployment has signed, as if a person imported it: skills through the import of skills, facts as
// content, sessions with every word as content. Evidence, verdicts, reviews, settings, allowances and usage are left out. Called by commit.ts.
import { type Result, ok } from "../../../core/errors.ts";
import { MAX_CONNECTIONS, mapLimit } from "../../../core/map-limit.ts";
import { parseFact } from "../../../core/memory/rules.ts";
import type { FileBodies } from "../../../core/schemas/file-body.ts";
import { SessionId, type Sha256 } from "../../../core/schemas/ids.ts";
import { MemoryAdd, MemoryStoreName } from "../../../core/schemas/memory.ts";
import type { MovedLine, MovedSection } from "../../../core/schemas/moving/lines.ts";
import { SkillHead } from "../../../core/schemas/skill.ts";
import { findBadScripts } from "../../../core/skills/checks.ts";
import { readFolder, toImport } from "../../../core/skills/exchange/import.ts";
import { seeds } from "../../../skills-seed/index.ts";
import { keyOf, slotsOf } from "../../../stores/keys.ts";
import { placeMemory, placeObject, putPlaced } from "../../../stores/moving/import-objects.ts";
import { readBody } from "../../../stores/objects.ts";
import { toBucket } from "../../../stores/platform/r2.ts";
import { runChecks } from "../../../wiring/checks.ts";
import { openAccount } from "../sessions/session-rpc.ts";
import { scanImport } from "../skills/scan-import.ts";
import { openMemory, openSkills } from "../stores.ts";
import { type WriteScope, type Written, writeSessions } from "./write-sessions.ts";

/** The parts of objects are read from the last to the first, because contents come after the heads that name them. */
export const FOREIGN_ORDER: MovedSection[] = ["account", "object", "memory", "session"];
/** [own] A line longer than this is not a title. */
const TITLE_CHARS = 200;

export async function writeForeign(scope: WriteScope, lines: MovedLine[]): Promise<Result<Written>> {
  const written: Written = { skills: 0, facts: 0, skipped: [] };
  await listSessions(scope, lines);
  await writeSkills(scope, lines, written);
  await writeFacts(scope, lines, written);
  const sessions = await writeSessions(scope, lines, false);
  return sessions.ok ? ok(written) : sessions;
}

/** As chats that nothing is learned from. */
async function listSessions({ env, profile }: WriteScope, lines: MovedLine[]): Promise<void> {
  for (const line of lines) {
    if (line.in !== "account" || line.table !== "session") continue;
    const { id, title, created_at: at } = line.row;
    await openAccount(env, profile).registerSession({
      session: SessionId.parse(id),
      title: String(title ?? "")
        .slice(0, TITLE_CHARS)
        .toWellFormed(),
      learning: "off",
      createdAt: typeof at === "number" && Number.isSafeInteger(at) ? at : Date.now(),
    });
  }
}

async function writeSkills({ env, profile, from }: WriteScope, lines: MovedLine[], written: Written): Promise<void> {
  const bucket = toBucket(env.SKILLS);
  const placed = lines.flatMap((line) => {
    const object = line.in === "object" ? placeObject(line, { from, to: profile }) : null;
    return object?.ok ? [object.value] : [];
  });
  const blobs = placed.filter(({ kind }) => kind === "blob");
  await mapLimit(blobs, MAX_CONNECTIONS, (blob) => putPlaced(bucket, blob));
  for (const { kind, key, body } of placed) {
    if (kind !== "head") continue;
    const { name } = slotsOf("head", key)!;
    const head = SkillHead.safeParse(JSON.parse(String(body)));
    const reason = head.success
      ? await importSkill({ env, profile, name, head: head.data })
      : "its record does not parse";
    if (reason === null) written.skills += 1;
    else written.skipped.push(`skill ${name}: ${reason}`);
  }
}

/** Returns why it was left out, or `null`. A repeated import of the same skill changes nothing. */
async function importSkill({
  env,
  profile,
  name,
  head,
}: Pick<WriteScope, "env" | "profile"> & { name: string; head: SkillHead }): Promise<string | null> {
  if (head.name !== name) return "its record has another name";
  const bucket = toBucket(env.SKILLS);
  const files: FileBodies = {};
  for (const [path, { sha256 }] of Object.entries(head.files)) {
    const blob = await bucket.get(keyOf("blob", { profile, sha256 }));
    if (!blob) return `the archive lacks the contents of ${path}`;
    files[path] = await readBody(blob);
  }
  const skill = readFolder(files, { name });
  if (!skill.ok) return skill.failure.message;
  // Nobody looks at each skill of an archive as at a single import, so one with a finding is left out.
  const [finding] = scanImport(skill.value.files).findings;
  if (finding)
    return `the scanner found "${finding.reason}" in ${finding.path}. Export it by itself and read it before you import it`;
  const store = openSkills(env, profile);
  const broken = await findBadScripts({}, skill.value.files, runChecks);
  const health = broken.length > 0 ? { checkedAt: Date.now(), broken } : undefined;
  const decide = toImport(skill.value, { replace: false, seeds, ...(health && { health }) });
  const since = (await store.head(skill.value.name))?.rev ?? 0;
  const changed = await store.change({ name: skill.value.name, op: `import:${head.text}`, since, decide });
  return changed.ok ? null : changed.failure.message;
}

/** Those that live, as words of somebody else. */
async function writeFacts({ env, profile }: WriteScope, lines: MovedLine[], written: Written): Promise<void> {
  const keys = new Set(lines.flatMap((line) => (line.in === "memory" ? [line.key] : [])));
  const memory = openMemory(env, profile);
  for (const line of lines) {
    if (line.in !== "memory") continue;
    const placed = placeMemory(line, profile);
    if (!placed.ok || placed.value.kind !== "memoryAdd") continue;
    const { store, hash, op } = slotsOf("memoryAdd", placed.value.key)! as { store: string; hash: Sha256; op: string };
    const [forgotten, purged] = [line.key.replace(/\/\+([^/]*)$/, "/-$1"), line.key.replace(/\/\+[^/]*$/, "/purged")];
    if (keys.has(forgotten) || keys.has(purged)) continue;
    const { text, at } = MemoryAdd.parse(JSON.parse(line.value));
    const fact = parseFact(text);
    if (!fact.ok) {
      written.skipped.push(`a fact: ${fact.failure.message}`);
      continue;
    }
    const add = { v: 1 as const, text: fact.value, at, origin: "foreground" as const, source: "content" as const };
    await memory.add(MemoryStoreName.parse(store), `import:${hash}:${op}`, add);
    written.facts += 1;
  }
}
