// What a profile has learned: a skill from work, revised by later work, used and judged, with a companion; skills
// that a person wrote, pinned and archived; a skill that its uses refuted; changes that wait; memory. Called by world.ts.
import type { Owner } from "../owner.ts";
import { awaitReview, converse, order, say, until } from "./talk.ts";

export interface Lessons {
  /** Learned from work by two reviews. It was pinned during the third, which therefore wrote its companion. */
  learned: string;
  companion: string;
  withdrawn: string;
  pinned: string;
  archived: string;
  /** The ids of changes that wait. */
  pending: string[];
  reviews: string[];
  /** The session from which `learned` was learned. */
  session: string;
}

export async function seedLessons(owner: Owner): Promise<Lessons> {
  const [own, withdrawn, learned] = await Promise.all([
    writeOwnSkills(owner),
    refuteSkill(owner),
    learnFromTables(owner),
    fillMemory(owner),
  ]);
  return { ...own, ...learned, withdrawn, pending: await askForChanges(owner) };
}

/** A table as office software exports it. `thousands` and `code` are what later reviews find. */
function toExport(column: string, { thousands = false, code = "n/a" } = {}): string {
  const cells = Array.from({ length: 60 }, (_, row) => {
    if (row % 9 === 4) return code;
    const value = ((row * 37) % 101) * (thousands ? 1_234.5 : 1.5) + 0.25;
    const text = value.toFixed(2).replace(".", ",");
    return thousands ? text.replace(/\B(?=(\d{3})+,)/g, ".") : text;
  });
  return [`place;${column}`, ...cells.map((cell, row) => `site ${row % 4};${cell}`)].join("\n");
}

async function askForMean(owner: Owner, file: string, text: string, column: string): Promise<string> {
  const { session } = await owner.client.createSession();
  await owner.client.putFile(session, file, text);
  await say(owner, session, `In \`${file}\`, what is the mean of \`${column}\`? Give it to two decimals.`);
  return session;
}

/** Work from which a review learns a skill. */
export async function learnFromTable(owner: Owner): Promise<{ session: string; learned: string; review: string }> {
  const session = await askForMean(owner, "rain.csv", toExport("level"), "level");
  const first = await awaitReview(owner, session);
  const lesson = first.result?.lessons.find((each) => each.kind === "skill");
  if (lesson?.kind !== "skill") throw new Error(`The first review kept no skill: ${JSON.stringify(first)}`);
  return { session, learned: lesson.skill, review: first.review };
}

async function learnFromTables(owner: Owner) {
  const { client } = owner;
  const { session, learned, review } = await learnFromTable(owner);
  const reviews = [review];

  for (const column of ["flow", "depth"]) {
    const used = await askForMean(owner, `${column}.csv`, toExport(column), column);
    await client.rate(used, 1, { rating: "up" });
  }
  const revised = await askForMean(
    owner,
    "sales.csv",
    toExport("total", { thousands: true, code: "unknown" }),
    "total",
  );
  await say(owner, revised, "/refine");
  reviews.push((await awaitReview(owner, revised)).review);

  // What is pinned belongs to the person: the review is refused, and writes a companion.
  await client.pinSkill(learned, true);
  const local = await askForMean(owner, "claims.csv", toExport("sum", { code: "pending" }), "sum");
  await say(owner, local, "/refine");
  reviews.push((await awaitReview(owner, local)).review);
  await client.pinSkill(learned, false);
  return { learned, companion: `${learned}-local`, reviews, session };
}

async function writeOwnSkills({ client }: Owner) {
  const [pinned, archived] = ["writing-release-notes", "booking-meeting-rooms"] as const;
  for (const [rev, steps] of [
    ["Read the commits since the last tag.", "Group them by what a reader notices."],
    ["Read the commits since the last tag.", "Group them by what a reader notices.", "Name who reported each fault."],
    ["Read the merged changes since the last tag.", "Group them by what a reader notices.", "Thank who reported each."],
  ].entries()) {
    await client.putSkill(pinned, {
      "SKILL.md": toSkillMd(pinned, "Write release notes from the history of a project", steps),
      "references/tone.md": `# Tone\n\nPlain words. Revision ${rev + 1}.\n`,
      ...(rev > 0 && { "scripts/list.sh": "git log --oneline\n" }),
    });
  }
  await client.pinSkill(pinned, true);
  await client.putSkill(archived, {
    "SKILL.md": toSkillMd(archived, "Book a meeting room by mail", ["Write to the desk.", "Wait for the answer."]),
  });
  await client.archiveSkill(archived);
  return { pinned, archived };
}

/** The agent writes a skill, and three turns that used it are rated down. */
async function refuteSkill(owner: Owner): Promise<string> {
  const name = "restarting-the-printer";
  const content = toSkillMd(name, "Restart the office printer when it prints nothing", ["Run `lpadmin -r`.", "Wait."]);
  await converse(owner, [order("skill_manage", { action: "create", name, content })], { title: "The printer" });
  for (let use = 1; use <= 3; use++) {
    const session = await converse(owner, [order("skill_view", { name })], { title: `Printer, time ${use}` });
    await until("the observation", async () => owner.client.observation(session, 1));
    await owner.client.rate(session, 1, { rating: "down", correction: "The printer still prints nothing." });
  }
  await until("the verdict", async () => {
    const { head } = await owner.client.skill(name);
    return head?.state === "archived" ? head : null;
  });
  return name;
}

async function fillMemory({ call }: Owner): Promise<void> {
  for (const [store, contents] of Object.entries(FACTS))
    for (const content of contents) await call("POST", "/v1/memory", { store, content });
}

const FACTS = {
  memory: [
    "The staging cluster is called blue and runs in Frankfurt.",
    "Reports go to the folder reports/ as Markdown, one a week.",
    "The rain gauges write a cell of -9999 where they measured nothing.",
  ],
  user: ["Prefers short answers with one example.", "Works from Oslo, and reads mail until 16:00."],
};

/** One skill and one fact that wait for a person. */
async function askForChanges(owner: Owner): Promise<string[]> {
  await owner.call("PATCH", "/v1/settings", { "skills.writeApproval": true, "memory.writeApproval": true });
  const name = "checking-invoices";
  const content = toSkillMd(name, "Check an invoice against its order", ["Compare the totals.", "Compare the dates."]);
  await converse(
    owner,
    [order("skill_manage", { action: "create", name, content }), "Remember that invoices are paid on Fridays."],
    { title: "Invoices" },
  );
  await owner.call("PATCH", "/v1/settings", { "skills.writeApproval": null, "memory.writeApproval": null });
  const { pending } = await owner.call<{ pending: { id: string; state: string }[] }>("GET", "/v1/pending");
  return pending.flatMap(({ id, state }) => (state === "waiting" ? [id] : []));
}

export function toSkillMd(name: string, description: string, steps: string[]): string {
  return `---
name: ${name}
description: ${description}
---
# ${description}

## When to use

When somebody asks for it.

## Steps

${steps.map((step, i) => `${i + 1}. ${step}`).join("\n")}

## Pitfalls

- Do not guess.

## Verify

Somebody else can repeat it.
`;
}
