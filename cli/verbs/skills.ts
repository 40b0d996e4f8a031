// `talaria skills`: what the agent knows how to do: list, read, compare, change the state of, and move skills in and out.
import { type ListedSkill, SkillDiff, SkillList } from "../../core/schemas/api.ts";
import { InstalledSkill } from "../../core/schemas/hub/hub-api.ts";
import { type PastRevision, SkillHead, isPurged } from "../../core/schemas/skill.ts";
import { PAGE_FLAGS, YES_FLAG } from "../command-line/flags.ts";
import { showList } from "../command-line/pages.ts";
import type { Column } from "../output/table.ts";
import { formatTime } from "../output/times.ts";
import { type Action, type Verb, readChoice, textFlag } from "../command-line/verb.ts";
import { shown } from "../output/hub-report.ts";
import { writeResult } from "../output/write-file.ts";
import { type Client, ProblemError } from "../connection/client.ts";
import { UsageError } from "../connection/connection.ts";
import { EXPERIMENT_ACTIONS } from "./experiment-actions.ts";
import { FIND_ACTIONS } from "./hub/find-actions.ts";
import { INSTALL_ACTIONS } from "./hub/install-actions.ts";
import { TAP_ACTIONS, publishToTap } from "./hub/tap-actions.ts";
import { EXPORT_FORMATS, exportSkill, importSkill } from "../output/skill-files.ts";

const LINE: Column<ListedSkill>[] = [
  { title: "skill", cell: ({ name }) => name },
  { title: "state", cell: ({ state, pinned }) => (pinned ? `${state}, pinned` : state) },
  { title: "by", cell: ({ origin }) => origin },
  { title: "rev", cell: ({ rev }) => rev },
  { title: "uses", cell: ({ use }) => use?.uses ?? 0 },
  { title: "what it is for", cell: ({ description }) => description, shrinks: true },
];

const REVISION: Column<PastRevision>[] = [
  { title: "rev", cell: ({ rev }) => rev },
  { title: "when", cell: (one) => formatTime(isPurged(one) ? one.purgedAt : one.revisedAt) },
  { title: "by", cell: (one) => (isPurged(one) ? "purged" : one.origin) },
  { title: "what it is for", cell: (one) => (isPurged(one) ? "" : one.description), shrinks: true },
];

export const skills: Verb = {
  name: "skills",
  help: "list, read, change, find, install, update, try, publish or export skills",
  actions: [
    {
      name: "list",
      help: "all skills by name; with --query, the best matches first",
      flags: { query: { type: "string", value: "WORDS", help: "search for them" }, ...PAGE_FLAGS },
      run: (call) =>
        showList(call, {
          schema: SkillList,
          route: "GET /v1/skills",
          field: "skills",
          itemsOf: (answer) => answer.skills,
          query: { query: textFlag(call.flags, "query") },
          columns: LINE,
          empty: "There is no skill.",
        }),
    },
    {
      name: "show",
      words: "SKILL [FILE]",
      help: "its state and its text, or one of its files",
      async run({ words: [skill = "", path = "SKILL.md"], json, output, client }) {
        const detail = await client().skill(skill);
        if (json) return output.json(detail);
        const file = Object.hasOwn(detail.files, path) ? detail.files[path] : undefined;
        if (file === undefined)
          throw new UsageError(`${skill} has no file ${path}. It has: ${Object.keys(detail.files).join(", ")}.`);
        const { head } = detail;
        output.note(
          head ? `${skill}: ${head.state}${head.pinned ? ", pinned" : ""}, revision ${head.rev}` : `${skill}: bundled`,
        );
        if (head?.from) output.note(describeOrigin(head.from));
        if (typeof file === "string") return output.text(file);
        output.bytes(Buffer.from(file.base64, "base64"));
      },
    },
    {
      name: "history",
      words: "SKILL",
      help: "its revisions, newest first",
      async run({ words: [skill = ""], json, output, client }) {
        const revisions = await client().skillRevisions(skill);
        if (json) output.json({ revisions });
        else output.table(revisions, REVISION, "A bundled skill has no revisions.");
      },
    },
    {
      name: "diff",
      words: "SKILL [REV]",
      help: "what a revision changed: by default the newest, against the one before",
      flags: { against: { type: "string", value: "REV", help: "compare with this one instead; 0 is an empty skill" } },
      async run({ words: [skill = "", rev], flags, json, output, client }) {
        const api = client();
        const chosen = rev ?? String((await readHead(api, skill)).rev);
        const diff = await api.call(SkillDiff, "GET /v1/skills/{name}/revisions/{rev}/diff", {
          params: { name: skill, rev: chosen },
          query: { against: textFlag(flags, "against") },
        });
        if (json) return output.json(diff);
        if (diff.files.length === 0) output.note(`Revisions ${diff.against} and ${diff.rev} have the same files.`);
        for (const file of diff.files) output.text(file.diff);
      },
    },
    {
      name: "pin",
      words: "SKILL [VERSION]",
      help: "no review, curation or update changes it; with VERSION, updates end there",
      async run({ words: [skill = "", version], json, output, client }) {
        const done =
          version === undefined ? await client().pinSkill(skill, true) : await pinVersion(client(), skill, version);
        if (json) output.json(done);
        else if (version === undefined) output.note(describe(done as SkillHead));
        else output.note(describePin(done as InstalledSkill, version!));
      },
    },
    {
      name: "unpin",
      words: "SKILL",
      help: "let reviews, curations and updates change it again",
      async run({ words: [skill = ""], json, output, client }) {
        const { head, installed } = await unpin(client(), skill);
        if (json) return output.json(head);
        output.note(describe(head));
        if (installed) output.note(`No version is pinned: updates go on from ${shown(installed.version)}.`);
      },
    },
    ...FIND_ACTIONS,
    ...INSTALL_ACTIONS,
    ...TAP_ACTIONS,
    ...EXPERIMENT_ACTIONS,
    change("archive", "offer it no longer; nothing is deleted", (api, skill) => api.archiveSkill(skill)),
    {
      name: "restore",
      words: "SKILL [REV]",
      help: "take it out of the archive, or go back to a revision",
      async run({ words: [skill = "", rev], json, output, client }) {
        if (rev !== undefined && !/^[1-9]\d{0,7}$/.test(rev))
          throw new UsageError(
            `${JSON.stringify(rev)} is not the number of a revision. \`talaria skills history ${skill}\` lists them.`,
          );
        const head = await client().restoreSkill(skill, rev === undefined ? undefined : Number(rev));
        if (json) output.json(head);
        else output.note(describe(head));
      },
    },
    {
      name: "publish",
      words: "SKILL",
      help: "let anyone read and install it; with --tap, propose it to a repository",
      flags: {
        tap: { type: "string", value: "TAP", help: "open a pull request there instead" },
        message: { type: "string", value: "TEXT", help: "what the pull request says" },
      },
      async run(call) {
        const { words, flags, json, output, client } = call;
        const [tap, message] = [textFlag(flags, "tap"), textFlag(flags, "message")];
        if (tap !== undefined) return publishToTap(call, tap, message);
        if (message !== undefined) throw new UsageError("--message goes with --tap.");
        const head = await publish(client(), words[0]!, true);
        if (json) output.json(head);
        else output.note(describe(head));
      },
    },
    change("unpublish", "publish it no longer", (api, skill) => publish(api, skill, false)),
    {
      name: "import",
      words: "FILE",
      help: "take in a folder, a .zip, a .skill, a .tar.gz or a SKILL.md; `-` is an archive on stdin",
      flags: {
        name: { type: "string", value: "SKILL", help: "under this name" },
        replace: { type: "boolean", help: "replace the skill of that name" },
      },
      async run({ words: [file = ""], flags, json, output, client }) {
        const options = { name: textFlag(flags, "name"), replace: flags.replace === true };
        const imported = await importSkill(client(), file, options);
        if (json) return output.json(imported);
        output.note(`Imported ${imported.name}, revision ${imported.rev}.`);
        for (const warning of imported.warnings) output.note(`! ${warning}`);
        for (const { path, line, reason } of imported.findings) output.note(`! ${path}, line ${line}: ${reason}`);
      },
    },
    {
      name: "export",
      words: "SKILL",
      help: "its files as an archive, byte for byte",
      flags: {
        output: {
          type: "string",
          short: "o",
          value: "FILE",
          help: "by default SKILL.zip in this folder; `-` is stdout",
        },
        format: { type: "string", value: "FORMAT", help: "zip (default), skill or tar.gz" },
        strict: { type: "boolean", help: "a copy that every validator of the standard accepts" },
      },
      async run({ words: [skill = ""], flags, json, output, client }) {
        const format = readChoice(flags, "format", { options: EXPORT_FORMATS }) ?? "zip";
        const bytes = await exportSkill(client(), skill, { format, strict: flags.strict === true });
        const file = textFlag(flags, "output") ?? `${skill}.${format}`;
        await writeResult(output, file, bytes);
        if (json && file !== "-") output.json({ skill, file, bytes: bytes.byteLength });
      },
    },
    {
      name: "delete",
      words: "SKILL",
      help: "delete it with its revisions and evidence, for ever",
      flags: YES_FLAG,
      async run({ words: [skill = ""], flags, json, output, client }) {
        if (!(await output.confirm(`Delete the skill ${skill} and its revisions?`, flags.yes === true))) return;
        const { status } = await client().send("DELETE /v1/skills/{name}", { params: { name: skill } });
        if (json) output.json({ skill, deleted: true, pending: status === 202 });
        else output.note(`${skill} is deleted.`);
      },
    },
  ],
};

/** An action that is one request and shows the skill's new state. */
function change(name: string, help: string, request: (api: Client, skill: string) => Promise<SkillHead>): Action {
  return {
    name,
    words: "SKILL",
    help,
    async run({ words: [skill = ""], json, output, client }) {
      const head = await request(client(), skill);
      if (json) output.json(head);
      else output.note(describe(head));
    },
  };
}

function pinVersion(client: Client, name: string, version: string | null): Promise<InstalledSkill> {
  return client.call(InstalledSkill, "PUT /v1/hub/skills/{name}/pin", { params: { name }, body: { version } });
}

function describePin({ name, version }: InstalledSkill, pinned: string): string {
  if (version === pinned) return `${name} stays at version ${pinned}.`;
  return `${name} is pinned to version ${pinned}, and has ${version} now. \`talaria skills update ${name}\` goes there.`;
}

/** Also of what the hub keeps, if the skill came from elsewhere. `installed`: its line there. */
async function unpin(client: Client, skill: string): Promise<{ head: SkillHead; installed: InstalledSkill | null }> {
  const head = await client.pinSkill(skill, false);
  if (head.origin !== "hub") return { head, installed: null };
  const installed = await pinVersion(client, skill, null).catch((error: unknown) => {
    // Its source was forgotten: it was uninstalled, and restored from the archive.
    if (error instanceof ProblemError && error.problem.code === "hub_not_installed") return null;
    throw error;
  });
  return { head, installed };
}

function publish(client: Client, name: string, isPublic: boolean): Promise<SkillHead> {
  return client.call(SkillHead, "POST /v1/skills/{name}/publish", { params: { name }, body: { public: isPublic } });
}

/** Uses of elsewhere were never judged: they are shown, and count for nothing. */
function describeOrigin({ source, identifier, version, uses, lastUsedDay }: NonNullable<SkillHead["from"]>): string {
  const used = uses === undefined ? "" : `, used ${uses} times there${lastUsedDay ? `, last on ${lastUsedDay}` : ""}`;
  return `From ${source}: ${identifier}${version ? ` ${version}` : ""}${used}.`;
}

function describe({ name, state, pinned, rev, public: isPublic }: SkillHead): string {
  return `${name}: ${state}${pinned ? ", pinned" : ""}${isPublic ? ", public" : ""}, revision ${rev}`;
}

async function readHead(client: Client, skill: string): Promise<SkillHead> {
  const { head } = await client.skill(skill);
  if (head) return head;
  throw new UsageError(`${skill} is a bundled skill: it has no revision to compare.`);
}
