// `talaria skills search|inspect|installed|check|audit`: what others offer, and how the skills that came from them stand.
import * as z from "zod";
import { HubAudit, HubChecked, HubHits, HubInspection, HubSkillList } from "../../../core/schemas/hub/hub-api.ts";
import { HubSourceName } from "../../../core/schemas/hub/lock.ts";
import { EXIT } from "../../command-line/exit-codes.ts";
import { PAGE_FLAGS } from "../../command-line/flags.ts";
import { showList } from "../../command-line/pages.ts";
import { type Action, type VerbCall, readChoice } from "../../command-line/verb.ts";
import { type Client, ProblemError } from "../../connection/client.ts";
import { nameVerdict, renderInspection, shown } from "../../output/hub-report.ts";
import type { Column } from "../../output/table.ts";

type Hit = z.infer<typeof HubHits>["hits"][number];
type Installed = z.infer<typeof HubSkillList>["skills"][number];
type Checked = HubChecked["checked"][number];
type Audited = HubAudit["audited"][number];

const HIT: Column<Hit>[] = [
  { title: "source", cell: ({ identifier }) => shown(identifier) },
  { title: "trust", cell: ({ trust, tap }) => (tap === undefined ? trust : `${trust}, tap ${shown(tap)}`) },
  { title: "here", cell: ({ installed }) => installed ?? "" },
  {
    title: "what it is for",
    cell: (hit) => shown(hit.warning ? `(${hit.warning}) ${hit.description}` : hit.description),
    shrinks: true,
  },
];
const INSTALLED: Column<Installed>[] = [
  { title: "skill", cell: ({ name }) => name },
  { title: "state", cell: ({ state, changedHere }) => (changedHere ? `${state}, changed here` : state) },
  { title: "version", cell: ({ version, pinned }) => shown(pinned === undefined ? version : `${version}, pinned`) },
  { title: "found", cell: ({ verdict }) => nameVerdict(verdict) },
  { title: "source", cell: ({ source, identifier }) => shown(`${source} ${identifier}`), shrinks: true },
];
const CHECKED: Column<Checked>[] = [
  { title: "skill", cell: ({ name }) => name },
  { title: "version", cell: ({ version, pinned }) => shown(pinned === undefined ? version : `${version}, pinned`) },
  { title: "state", cell: ({ state }) => state },
  { title: "newest", cell: ({ newest }) => shown(newest ?? "") },
  { title: "detail", cell: ({ detail }) => shown(detail ?? ""), shrinks: true },
];
const AUDITED: Column<Audited>[] = [
  { title: "skill", cell: ({ name }) => name },
  { title: "state", cell: ({ state }) => state },
  { title: "was", cell: ({ was }) => nameVerdict(was) },
  { title: "is", cell: ({ verdict, grown }) => `${nameVerdict(verdict)}${grown ? ", worse" : ""}` },
  { title: "changed files", cell: ({ changed }) => shown(changed.map(({ path }) => path).join(", ")), shrinks: true },
];

export const FIND_ACTIONS: Action[] = [
  {
    name: "search",
    words: "WORDS...",
    help: "skills that others offer; `list --query` searches your own",
    flags: { source: { type: "string", value: "SOURCE", help: `only ${HubSourceName.options.join(", ")}` } },
    async run({ words, flags, json, output, client }) {
      const source = readChoice(flags, "source", { options: HubSourceName.options });
      const found = await client().call(HubHits, "GET /v1/hub/search", { query: { query: words.join(" "), source } });
      const isUnsure = found.hits.length === 0 && found.failed.length > 0;
      if (json) output.json(found);
      else {
        const empty = isUnsure
          ? "No source that answered has such a skill. These did not answer:"
          : "Nothing was found.";
        output.table(found.hits, HIT, empty);
        for (const failed of found.failed) output.note(`! ${shown(failed.from)}: ${shown(failed.message)}`);
      }
      return isUnsure ? EXIT.failed : undefined;
    },
  },
  {
    name: "inspect",
    words: "SOURCE",
    help: "what a skill has, needs and runs, before it is installed",
    async run({ words: [source = ""], json, output, client }) {
      const inspection = await inspect({ client, output }, source);
      if (!inspection) return EXIT.refused;
      if (json) output.json(inspection);
      else output.text(renderInspection(inspection));
      return inspection.decision.outcome === "refused" ? EXIT.refused : undefined;
    },
  },
  {
    name: "installed",
    help: "the skills that came from others, with version and source",
    flags: PAGE_FLAGS,
    run: (call) =>
      showList(call, {
        schema: HubSkillList,
        route: "GET /v1/hub/skills",
        field: "skills",
        itemsOf: ({ skills }) => skills,
        columns: INSTALLED,
        empty: "No skill came from elsewhere.",
      }),
  },
  {
    name: "check",
    words: "[SKILL...]",
    help: "ask the sources what is newer, gone or changed; by default of all",
    async run({ words, json, output, client }) {
      const checked = await check(client(), words);
      const others = words.filter((word) => !checked.some(({ name }) => name === word));
      if (json) output.json({ checked });
      else if (checked.length > 0 || others.length === 0)
        output.table(checked, CHECKED, "No skill came from elsewhere.");
      for (const name of others)
        output.note(`! ${shown(name)} did not come from elsewhere. \`talaria skills installed\` lists what did.`);
      if (others.length > 0) return EXIT.refused;
      return checked.some(({ state }) => state === "gone" || state === "moved") ? EXIT.failed : undefined;
    },
  },
  {
    name: "audit",
    help: "scan what is installed by the present rules, and compare its files",
    async run({ json, output, client }) {
      const audited = await audit(client());
      if (json) output.json({ audited });
      else output.table(audited, AUDITED, "No skill came from elsewhere.");
      return audited.some(({ grown }) => grown) ? EXIT.failed : undefined;
    },
  },
];

/** Null, after it has listed them: the source has several skills. */
export async function inspect(
  { client, output }: Pick<VerbCall, "client" | "output">,
  source: string,
  name?: string,
): Promise<HubInspection | null> {
  const body = { source, ...(name !== undefined && { name }) };
  try {
    return await client().call(HubInspection, "POST /v1/hub/inspect", { body });
  } catch (error) {
    const choices = error instanceof ProblemError && error.problem.code === "hub_choose" ? error.problem : null;
    if (!choices) throw error;
    const { skills, count } = Choices.parse(choices.facts);
    output.note(choices.detail);
    for (const one of skills) output.note(`  ${shown(one.source)}  ${shown(one.description)}`);
    if (count > skills.length) output.note(`and ${count - skills.length} more`);
    return null;
  }
}

/** What the server names of a source with several skills. */
const Choices = z.object({
  skills: z.array(z.object({ source: z.string(), description: z.string() })),
  count: z.int(),
});

/** All pages. */
export async function check(client: Client, names: string[] = []): Promise<Checked[]> {
  const all: Checked[] = [];
  for (let after: string | undefined; ;) {
    const body = { ...(names.length > 0 && { names }), ...(after !== undefined && { after }) };
    const page = await client.call(HubChecked, "POST /v1/hub/check", { body });
    all.push(...page.checked);
    if (page.next === undefined) return all;
    after = page.next;
  }
}

async function audit(client: Client): Promise<Audited[]> {
  const all: Audited[] = [];
  for (let after: string | undefined; ;) {
    const body = after === undefined ? {} : { after };
    const page = await client.call(HubAudit, "POST /v1/hub/audit", { body });
    all.push(...page.audited);
    if (page.next === undefined) return all;
    after = page.next;
  }
}
