// `talaria library`: skills that profiles of one deployment share: who follows whom, invitations, what is shared, and installing it.
import {
  CreatedInvitation,
  FollowerInfo,
  FollowingInfo,
  InstalledOffered,
  Library,
  type OfferedSkill,
  OfferedSkills,
} from "../../core/schemas/library/library.ts";
import { SkillHead } from "../../core/schemas/skill.ts";
import { EXIT } from "../command-line/exit-codes.ts";
import { YES_FLAG } from "../command-line/flags.ts";
import { type Action, type FlagValues, type Verb, type VerbCall, readChoice, textFlag } from "../command-line/verb.ts";
import { UsageError } from "../connection/connection.ts";
import { shown } from "../output/hub-report.ts";
import type { Column } from "../output/table.ts";
import { formatTime } from "../output/times.ts";

/** A line of the list, whatever it is of. */
interface Line {
  kind: string;
  id: string;
  label: string;
  since: number;
  more: string;
}

const LINE: Column<Line>[] = [
  { title: "what", cell: ({ kind }) => kind },
  { title: "id", cell: ({ id }) => id },
  { title: "label", cell: ({ label }) => shown(label), shrinks: true },
  { title: "since", cell: ({ since }) => formatTime(since) },
  { title: "more", cell: ({ more }) => more },
];

const OFFERED: Column<OfferedSkill & { profile: string }>[] = [
  { title: "skill", cell: ({ name }) => name },
  { title: "profile", cell: ({ profile }) => profile },
  { title: "here", cell: ({ installed, update }) => (update ? "older" : installed ? "yes" : "") },
  { title: "what it is for", cell: ({ description }) => shown(description), shrinks: true },
];

const YES_OR_NO = ["yes", "no"] as const;

export const library: Verb = {
  name: "library",
  help: "follow the skills of other profiles, and share your own with them",
  actions: [
    {
      name: "list",
      help: "who follows this profile, whom it follows, and open invitations",
      async run({ json, output, client }) {
        const all = await client().call(Library, "GET /v1/library");
        if (json) output.json(all);
        else output.table(toLines(all), LINE, "This profile follows nobody, and nobody follows it.");
      },
    },
    {
      name: "invite",
      words: "[LABEL]",
      help: "a code with which others follow this profile; LABEL is what they see",
      flags: {
        uses: { type: "string", value: "N", help: "how many may use it (default: 1)" },
        days: { type: "string", value: "N", help: "how long it is valid (default: 7)" },
      },
      async run({ words: [label], flags, json, output, client }) {
        const [uses, days] = [readNumber(flags, "uses"), readNumber(flags, "days")];
        const body = {
          ...(label !== undefined && { label }),
          ...(uses !== undefined && { uses }),
          ...(days !== undefined && { expiresInMs: days * 24 * 60 * 60_000 }),
        };
        const made = await client().call(CreatedInvitation, "POST /v1/library/invitations", { body });
        if (json) return output.json(made);
        output.note(`Valid until ${formatTime(made.expiresAt)}. The code is not shown again:`);
        output.text(made.code);
      },
    },
    {
      name: "uninvite",
      words: "ID",
      help: "take an invitation back; who followed with it stays",
      async run({ words: [invitation = ""], json, output, client }) {
        await client().send("DELETE /v1/library/invitations/{invitation}", { params: { invitation } });
        if (json) output.json({ invitation, deleted: true });
        else output.note(`${invitation} is no longer valid.`);
      },
    },
    {
      name: "follow",
      words: "CODE",
      help: "follow the profile that made the code; nothing is installed by that",
      flags: {
        label: { type: "string", value: "TEXT", help: "what that profile sees of this one" },
        counts: { type: "string", value: "yes|no", help: "send back how often its skills were used (default: no)" },
      },
      async run({ words: [code = ""], flags, json, output, client }) {
        const [label, counts] = [textFlag(flags, "label"), readChoice(flags, "counts", { options: YES_OR_NO })];
        const body = { code, ...(label !== undefined && { label }), evidence: counts === "yes" };
        const followed = await client().call(FollowingInfo, "POST /v1/library/following", { body });
        if (json) return output.json(followed);
        output.note(
          `This profile follows ${followed.profile} (${shown(followed.label)}). See \`talaria library offered\`.`,
        );
      },
    },
    {
      name: "unfollow",
      words: "PROFILE",
      help: "follow a profile no longer; copies of its skills stay",
      flags: YES_FLAG,
      async run({ words: [profile = ""], flags, json, output, client }) {
        const question = `Unfollow ${profile}? Its later withdrawals no longer reach the copies.`;
        if (!(await output.confirm(question, flags.yes === true))) return;
        await client().send("DELETE /v1/library/following/{profile}", { params: { profile } });
        if (json) output.json({ profile, unfollowed: true });
        else output.note(`${profile} is not followed any more.`);
      },
    },
    {
      name: "followers",
      words: "[PROFILE]",
      help: "who follows this profile; with PROFILE, change or remove one",
      flags: {
        counts: { type: "string", value: "yes|no", help: "take its counts of uses" },
        remove: { type: "boolean", help: "it reads nothing more; its copies stay" },
        ...YES_FLAG,
      },
      run: changeOrListFollowers,
    },
    share("share", "offer a skill to the profiles that follow this one", true),
    share("unshare", "offer it no longer; unchanged copies of it are archived", false),
    {
      name: "offered",
      words: "[PROFILE]",
      help: "what the followed profiles share, and what of it is installed",
      async run({ words: [only], json, output, client }) {
        const followed = only
          ? [only]
          : (await client().call(Library, "GET /v1/library")).following.map((one) => one.profile);
        const skills = [];
        for (const profile of followed) {
          const route = "GET /v1/library/following/{profile}/skills";
          const offered = await client().call(OfferedSkills, route, { params: { profile } });
          skills.push(...offered.skills.map((skill) => ({ ...skill, profile })));
        }
        if (json) output.json({ skills });
        else output.table(skills, OFFERED, "Nothing is shared.");
      },
    },
    {
      name: "install",
      words: "PROFILE [SKILL...]",
      help: "install the named skills of a followed profile, or all that it shares",
      run: installOffered,
    },
  ],
};

function share(name: string, help: string, shared: boolean): Action {
  return {
    name,
    words: "SKILL",
    help,
    async run({ words: [skill = ""], json, output, client }) {
      const head = await client().call(SkillHead, "POST /v1/skills/{name}/publish", {
        params: { name: skill },
        body: { shared },
      });
      if (json) output.json(head);
      else output.note(`${head.name} is ${head.shared || head.public ? "shared" : "not shared"}.`);
    },
  };
}

async function changeOrListFollowers({ words: [profile], flags, json, output, client }: VerbCall): Promise<void> {
  const counts = readChoice(flags, "counts", { options: YES_OR_NO });
  const isRemoved = flags.remove === true;
  if (profile === undefined) {
    if (counts || isRemoved) throw new UsageError("Name the follower: `talaria library followers PROFILE`.");
    const { followers } = await client().call(Library, "GET /v1/library");
    if (json) return output.json({ followers });
    return output.table(followers.map(toFollowerLine), LINE, "Nobody follows this profile.");
  }
  if ((counts === undefined) !== isRemoved) throw new UsageError("Say --counts yes, --counts no or --remove.");
  if (counts !== undefined) {
    const changed = await client().call(FollowerInfo, "PATCH /v1/library/followers/{profile}", {
      params: { profile },
      body: { evidence: counts === "yes" },
    });
    if (json) output.json(changed);
    else output.note(changed.evidence ? `Counts of ${profile} are taken.` : `Counts of ${profile} are not taken.`);
    return;
  }
  if (!(await output.confirm(`Remove the follower ${profile}?`, flags.yes === true))) return;
  await client().send("DELETE /v1/library/followers/{profile}", { params: { profile } });
  if (json) output.json({ profile, removed: true });
  else output.note(`${profile} reads nothing more.`);
}

/** As many requests as it takes. */
async function installOffered({ words: [profile = "", ...names], json, output, client }: VerbCall) {
  const all: InstalledOffered = { installed: [], refused: [], left: [] };
  for (let wanted: string[] | undefined = names.length > 0 ? names : undefined; ;) {
    const done: InstalledOffered = await client().call(
      InstalledOffered,
      "POST /v1/library/following/{profile}/install",
      { params: { profile }, body: wanted ? { skills: wanted } : {} },
    );
    all.installed.push(...done.installed);
    all.refused.push(...done.refused);
    if (done.left.length === 0) break;
    wanted = done.left;
  }
  if (json) output.json(all);
  else if (all.installed.length > 0)
    output.note(`Installed, on trial: ${all.installed.map(({ name }) => name).join(", ")}.`);
  else output.note("Nothing was installed.");
  for (const { name, code, detail } of all.refused) output.note(`! ${name}: ${shown(detail)} (${code})`);
  return all.refused.length > 0 ? EXIT.refused : undefined;
}

function toLines({ followers, following, invitations }: Library): Line[] {
  return [
    ...following.map(({ profile, label, since, evidence }) => {
      return { kind: "follows", id: profile, label, since, more: evidence ? "sends counts" : "" };
    }),
    ...followers.map(toFollowerLine),
    ...invitations.map(({ id, label, createdAt, uses, expiresAt }) => {
      return { kind: "invitation", id, label, since: createdAt, more: `${uses} left, until ${formatTime(expiresAt)}` };
    }),
  ];
}

function toFollowerLine({ profile, label, since, evidence, sendsEvidence }: FollowerInfo): Line {
  const counts = sendsEvidence ? (evidence ? "sends counts" : "would send counts") : "";
  return { kind: "follower", id: profile, label, since, more: counts };
}

function readNumber(flags: FlagValues, name: string): number | undefined {
  const text = textFlag(flags, name);
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new UsageError(`--${name} takes a whole number from 1, not ${JSON.stringify(text)}.`);
}
