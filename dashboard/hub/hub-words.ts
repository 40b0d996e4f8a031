// What the page says of skills from outside: their sources, how far they are trusted, what a check saw, and what an update adds. Pure.
import type { StateWord } from "../components/badge.tsx";
import { quote } from "../components/hidden-text.ts";
import { type Answer, ProblemError } from "../data/api.ts";

export type Hit = Answer<"GET /v1/hub/search">["hits"][number];
export type Inspection = Answer<"POST /v1/hub/inspect">;
export type Report = Inspection["report"];
export type Installed = Answer<"GET /v1/hub/skills">["skills"][number];
export type Update = Answer<"POST /v1/hub/skills/{name}/update">;
export type Audited = Answer<"POST /v1/hub/audit">["audited"][number];
export type Source = Installed["source"];

export const SOURCES: Record<Source, string> = {
  github: "GitHub",
  "skills-sh": "skills.sh",
  clawhub: "ClawHub",
  "well-known": "The index of a site",
  url: "An address",
  library: "A profile's library",
};

/** What did not answer a search: a source, or `tap:<name>`. */
export function describeAsked(from: string): string {
  const tap = /^tap:(.*)$/s.exec(from)?.[1];
  if (tap !== undefined) return `The tap ${quote(tap)}`;
  return Object.hasOwn(SOURCES, from) ? SOURCES[from as Source] : quote(from);
}

/** Sources that can be searched by words. */
export const SEARCHED = ["github", "skills-sh", "clawhub", "well-known", "library"] as const;

export const TRUSTS: Record<Installed["trust"], StateWord> = {
  trusted: { name: "Trusted by the operator", tone: "good" },
  library: { name: "Followed", tone: "accent" },
  community: { name: "Community", tone: "plain" },
};

export const VERDICTS: Record<Installed["verdict"], StateWord> = {
  safe: { name: "Nothing serious found", tone: "good" },
  caution: { name: "Doubtful", tone: "warn" },
  dangerous: { name: "Dangerous", tone: "bad" },
};

export const SEEN: Record<NonNullable<Installed["seen"]>["state"], StateWord> = {
  current: { name: "Up to date", tone: "good" },
  update: { name: "Update", tone: "accent" },
  gone: { name: "Gone at its source", tone: "bad" },
  moved: { name: "Changed under its version", tone: "bad" },
  unreachable: { name: "Source does not answer", tone: "warn" },
};

/** What stands beside an installed skill, the most important first. */
export function listStates({ seen, changedHere, pinned, verdict, state }: Installed): StateWord[] {
  return [
    ...(state === "archived" ? [{ name: "Archived", tone: "plain" } as const] : []),
    ...(seen ? [SEEN[seen.state]] : []),
    ...(changedHere ? [{ name: "Changed here", tone: "warn" } as const] : []),
    ...(pinned === undefined ? [] : [{ name: `Pinned to ${pinned}`, tone: "accent" } as const]),
    ...(verdict === "safe" ? [] : [VERDICTS[verdict]]),
  ];
}

/** The parts of a report that are lists of names, with what they are called. Empty ones are left out. */
export function listNeeds(report: Pick<Report, NeedField>): [what: string, items: string[]][] {
  return NEEDS.map(([field, what]): [string, string[]] => [what, report[field]]).filter(
    ([, items]) => items.length > 0,
  );
}

type NeedField = "tools" | "hosts" | "variables" | "credentialFiles" | "dependencies";
const NEEDS: [NeedField, string][] = [
  ["tools", "Tools"],
  ["hosts", "Hosts"],
  ["variables", "Settings and keys"],
  ["credentialFiles", "Files with credentials"],
  ["dependencies", "Programs, packages and skills"],
];

/** What an update adds, as sentences. Nothing for an update that adds nothing to run, reach or need. */
export function describeGrown(grown: Update["grown"]): string[] {
  const { scripts, commands, allowedTools, findings, verdict } = grown;
  const lists: [string, string[]][] = [
    ["It can run", scripts],
    ["It shows new commands in", [...new Set(commands.map(({ path }) => path))]],
    ["It would allow itself", allowedTools],
    ...listNeeds(grown).map(([what, items]): [string, string[]] => [`It needs new ${what.toLowerCase()}`, items]),
  ];
  const lines = lists.filter(([, items]) => items.length > 0).map(([what, items]) => `${what}: ${items.join(", ")}.`);
  if (findings.length > 0) lines.push(`The scanner found ${findings.length} more to look at.`);
  if (verdict) lines.push(`It was “${VERDICTS[verdict.from].name}” and is “${VERDICTS[verdict.to].name}” now.`);
  return lines;
}

/** A version as people read it: the first characters of a commit or of a digest. */
export function shortVersion(version: string): string {
  return /^(?:sha256:)?[0-9a-f]{40,}$/.test(version) ? version.replace(/^sha256:/, "").slice(0, 10) : version;
}

export interface Choice {
  /** What an inspection takes. */
  source: string;
  name: string;
  description: string;
}

/** The skills between which a refusal asks to choose; none for any other. */
export function choicesOf(error: unknown): Choice[] {
  if (!(error instanceof ProblemError) || error.problem.code !== "hub_choose") return [];
  const skills = error.problem.facts?.skills;
  return Array.isArray(skills) ? skills.filter(isChoice) : [];
}

function isChoice(value: unknown): value is Choice {
  const { source, name, description } = (value ?? {}) as Partial<Choice>;
  return [source, name, description].every((text) => typeof text === "string");
}
