// Reads the home of Hermes (`~/.hermes`): skills with `.usage.json`, memories, SOUL.md, jobs, bundles, and its conversations from rows of
// `state.db` that the caller has read. What has no equal here is named. Pure. Layout: hermes-agent 0.19, state.db version 22.
import { dayOf } from "../../schemas/ids.ts";
import type { FileBodies } from "../../schemas/file-body.ts";
import { SKILL_MD } from "../../skills/format/format.ts";
import { readFrontmatter } from "../../skills/format/frontmatter.ts";
import { toBytes } from "../../schemas/file-body.ts";
import { toObject } from "../../unknown-object.ts";
import { quotePath } from "../../zip/quote-path.ts";
import { readEntries, withoutComments } from "./facts.ts";
import type { ForeignConversation, ForeignFiles, ForeignHome, ForeignSkill, MoveNote } from "./foreign-home.ts";
import { type HermesRows, readHermesConversations } from "./hermes-sessions.ts";
import { readHermesJobs } from "./jobs.ts";
import { noteTop, noteMcpServers } from "./leftovers.ts";
import { readJson, readText, readYaml, toText, toTime } from "./read-text.ts";
import { type KnownOfSkill, findSkillFolders, pathsOf, readSkillFolder, toForeignSkill } from "./skill-folders.ts";

const SKILLS = "skills/";
const ARCHIVE = "skills/.archive/";
const BUNDLES = "skill-bundles/";

/** `rows`: of `state.db`; `null` without one. `now`: milliseconds since 1970. */
export function readHermes(files: ForeignFiles, rows: HermesRows | null, now: number): ForeignHome {
  const notes: MoveNote[] = [];
  const config = toObject(readYaml(files, "config.yaml", notes));
  const facts = [
    ...readEntries(readText(files, "memories/MEMORY.md") ?? "", "memory", notes),
    ...readEntries(readText(files, "memories/USER.md") ?? "", "user", notes),
    // What did not fit when this program wrote the home.
    ...readEntries(readText(files, "memories/MEMORY.overflow.md") ?? "", "memory", notes),
    ...readEntries(readText(files, "memories/USER.overflow.md") ?? "", "user", notes),
  ];
  const soul = withoutComments(readText(files, "SOUL.md") ?? "").trim();
  const zone = toText(config.timezone).trim();
  const jobs = readHermesJobs(readJson(files, "cron/jobs.json", notes), { now, notes }).map((job) =>
    zone === "" ? job : { ...job, timeZone: zone },
  );
  const skills = readSkills(files, notes);
  noteConfig(config, notes);
  noteTop(files, HERMES_TOP, notes);
  return {
    ...{ program: "hermes", skills, facts, jobs, notes },
    personality: soul === "" ? null : { path: "SOUL.md", text: soul },
    conversations: (note): Iterable<ForeignConversation> => (rows ? readHermesConversations(rows, note) : []),
  };
}

function readSkills(files: ForeignFiles, notes: MoveNote[]): ForeignSkill[] {
  const usage = toObject(readJson(files, `${SKILLS}.usage.json`, notes));
  const lock = toObject(toObject(readJson(files, `${SKILLS}.hub/lock.json`, notes)).installed);
  const bundled = readManifest(readText(files, `${SKILLS}.bundled_manifest`) ?? "");
  const skills: ForeignSkill[] = [];
  let unchanged = 0;
  const read = (root: string, archived: boolean) => {
    for (const folder of findSkillFolders(files, root)) {
      const known = knownOf(files, folder, { root, archived, usage });
      const shipped = bundled.get(known.name);
      if (shipped !== undefined && isShipped(files, folder, shipped)) {
        unchanged += 1;
        continue;
      }
      const skill = readSkillFolder(files, folder, known, notes);
      if (!skill) continue;
      skills.push(skill);
      const installed = toObject(lock[known.name]);
      if (toText(installed.identifier) !== "") {
        const how = `\`talaria skills install ${toText(installed.identifier).slice(0, 200)}\` follows its source, once this copy is deleted`;
        notes.push({
          kind: "changed",
          what: `skill ${quotePath(known.name)}`,
          why: "it came from a hub there, and is a copy here",
          how,
        });
      }
    }
  };
  read(SKILLS, false);
  read(ARCHIVE, true);
  if (unchanged > 0) {
    const what = `${unchanged} skills that ship with Hermes`;
    notes.push({ kind: "left_out", what, why: "nobody has changed them, and Talaria has its own" });
  }
  return [...skills, ...readBundles(files, notes)];
}

interface Known extends KnownOfSkill {
  name: string;
}

/** Usage is kept by the name in the frontmatter, else by the folder's. */
function knownOf(
  files: ForeignFiles,
  folder: string,
  { root, archived, usage }: { root: string; archived: boolean; usage: Record<string, unknown> },
): Known {
  const head = readFrontmatter(readText(files, `${folder}/${SKILL_MD}`) ?? "");
  const written = head.ok ? toText(head.value.fields.name).trim() : "";
  const name = written || folder.slice(folder.lastIndexOf("/") + 1);
  const record = toObject(Object.hasOwn(usage, name) ? usage[name] : undefined);
  const used = toTime(record.last_used_at);
  const uses = record.use_count;
  return {
    ...{ program: "hermes" as const, name, identifier: folder.slice(root.length) },
    ...(typeof uses === "number" && Number.isSafeInteger(uses) && uses > 0 && { uses }),
    ...(used !== null && { lastUsedDay: dayOf(used) }),
    ...(record.pinned === true && { pinned: true }),
    ...((archived || record.state === "archived") && { archived: true }),
  };
}

/** Lines `name:md5`, or names alone in its first form. */
function readManifest(text: string): Map<string, string> {
  const lines = text.split("\n").map((line) => line.trim());
  return new Map(
    lines.flatMap((line) => {
      const at = line.indexOf(":");
      return at > 0 ? [[line.slice(0, at).trim(), line.slice(at + 1).trim()] as const] : [];
    }),
  );
}

/** As Hermes does: the MD5 over each file's path and bytes, sorted by the parts of the paths. */
function isShipped(files: ForeignFiles, folder: string, md5: string): boolean {
  const paths = pathsOf(files, folder).toSorted(byParts);
  const pieces = paths.flatMap((path) => [
    toBytes(path),
    files.read(`${folder}/${path}`, MAX_SHIPPED) ?? new Uint8Array(),
  ]);
  return files.md5(pieces) === md5;
}

const MAX_SHIPPED = 10 << 20;

function byParts(a: string, b: string): number {
  const [as, bs] = [a.split("/"), b.split("/")];
  for (const [at, part] of as.entries()) {
    if (at >= bs.length) return 1;
    if (part !== bs[at]) return part < bs[at]! ? -1 : 1;
  }
  return as.length - bs.length;
}

/** A bundle is a skill here: its members are in its frontmatter. */
function readBundles(files: ForeignFiles, notes: MoveNote[]): ForeignSkill[] {
  return files.paths
    .filter((path) => path.startsWith(BUNDLES) && /^[^/]+\.ya?ml$/.test(path.slice(BUNDLES.length)))
    .flatMap((path) => {
      const bundle = toObject(readYaml(files, path, notes));
      const members = Array.isArray(bundle.skills) ? bundle.skills.filter((one) => typeof one === "string") : [];
      if (members.length === 0) return [];
      const name = toText(bundle.name).trim() || path.slice(BUNDLES.length).replace(/\.ya?ml$/, "");
      const description = toText(bundle.description).trim() || `Loads ${members.join(", ")}.`;
      const text = toBundleSkill({ name, description, skills: members, instruction: toText(bundle.instruction) });
      const bodies: FileBodies = { [SKILL_MD]: text };
      return [toForeignSkill(path, bodies, { program: "hermes", identifier: path })];
    });
}

/** The SKILL.md of a bundle. */
export function toBundleSkill(bundle: {
  name: string;
  description: string;
  skills: string[];
  instruction: string;
}): string {
  return [
    ...[
      "---",
      `name: ${JSON.stringify(bundle.name)}`,
      `description: ${JSON.stringify(bundle.description)}`,
      "metadata:",
    ],
    ...[`  bundle: ${JSON.stringify(bundle.skills.join(", "))}`, "---", ""],
    `${bundle.instruction.trim() || "Use these skills together."}\n`,
  ].join("\n");
}

function noteConfig(config: Record<string, unknown>, notes: MoveNote[]): void {
  noteMcpServers(config.mcp_servers, notes);
  const provider = toText(toObject(config.memory).provider);
  if (provider !== "") {
    const how = "name one of docs/CONFIGURATION.md, and enter its key again";
    notes.push({
      kind: "no_equal",
      what: `memory provider ${provider.slice(0, 40)}`,
      why: "what it keeps is with it",
      how,
    });
  }
  const rest = Object.keys(config).filter((key) => !["mcp_servers", "memory", "timezone"].includes(key));
  if (rest.length > 0) {
    const what = `settings in config.yaml: ${rest.slice(0, 40).join(", ").slice(0, 400)}`;
    notes.push({ kind: "no_equal", what, why: "settings mean other things here", how: "see docs/CONFIGURATION.md" });
  }
}

/** What the top of the home holds, for those that do not come. `null`: it came, or is of no use elsewhere. */
const HERMES_TOP: Record<string, readonly [why: string, how?: string] | null> = {
  ...{
    skills: null,
    memories: null,
    sessions: null,
    audio_cache: null,
    image_cache: null,
    cron: null,
    "SOUL.md": null,
    "config.yaml": null,
    "skill-bundles": null,
  },
  ...{ "state.db": null, "state.db-wal": null, "state.db-shm": null, logs: null, cache: null, "hermes-agent": null },
  hooks: ["hooks run code of that machine", "outbound webhooks tell other systems of events (`/v1/hooks`)"],
  plugins: ["plugins run code of that machine", "MCP servers add tools (`/v1/mcp-servers`)"],
  scripts: ["scripts of that machine are not run here", "put them into a skill"],
  profiles: ["each is a home of its own", "import it by itself, into another profile"],
  kanban: ["cards are set up here again", "see `talaria board`"],
  "kanban.db": ["cards are set up here again", "see `talaria board`"],
};
