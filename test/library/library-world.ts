// Several profiles over one bucket, each with the library of its Account, in memory. Accounts reach each other as they do in workerd; a test can
// break the way, or begin an Account again from its rows.
import { DEFAULTS } from "../../core/limits.ts";
import type { SkillNext } from "../../core/ports.ts";
import { hashFiles, sha256Hex, textOfFiles } from "../../core/schemas/learning/digest.ts";
import type { ProfileId } from "../../core/schemas/ids.ts";
import { type AccountLibrary, createAccountLibrary } from "../../durable-objects/library/account-library.ts";
import { createLibraryCopies } from "../../durable-objects/library/library-copies.ts";
import { createEvidenceStore } from "../../stores/evidence/evidence-store.ts";
import { createHubLockStore } from "../../stores/hub/lock-store.ts";
import { createSkillStore } from "../../stores/skills/skill-store.ts";
import { createMemoryBucket } from "../support/bindings/memory-bucket.ts";
import { createNodeSql } from "../support/bindings/node-sql.ts";
import { createTestClock } from "../support/clock.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { JUDGE } from "../support/skills/reviews.ts";
import { newProfileId } from "../support/skills/profile-ids.ts";
import { adjustment, creation } from "../support/skills/skills.ts";

export const NAME = "tables";
export const BODY = "Read the columns first.";
export const textOf = (body: string) => textOfFiles(hashFiles({ "SKILL.md": body }));

export function createLibraryWorld() {
  const clock = createTestClock();
  const bucket = createMemoryBucket({ clock });
  const libraries = new Map<ProfileId, () => AccountLibrary>();
  /** Calls between Accounts, by what they are; a test empties it. */
  const calls: string[] = [];
  let broken = false;

  function open(profile: ProfileId) {
    const random = createSeededRandom(1);
    const skillsOf = (of: ProfileId) => createSkillStore({ bucket, profile: of, clock, random, swapMs: 10_000 });
    const skills = skillsOf(profile);
    const evidence = createEvidenceStore({ bucket, profile, judge: JUDGE });
    const lock = createHubLockStore({ bucket, profile, clock, random });
    const sql = createNodeSql();
    const farewells: string[] = [];
    const problems: string[] = [];
    let reads = 0;
    const copies = createLibraryCopies({ bucket, clock, profile, lock, skills, evidence, skillsOf });
    const start = () =>
      createAccountLibrary({
        ...{ sql, clock, profile, ...copies },
        peer(other) {
          const ask = async <Answer>(what: string, answer: (library: AccountLibrary) => Answer | Promise<Answer>) => {
            calls.push(what);
            if (broken) throw new Error("The other Account does not answer.");
            return answer(libraries.get(other)!());
          };
          return {
            admit: (follower, asked) => ask("admit", (library) => library.admit(follower, asked)),
            report: (follower, report) => ask("report", (library) => library.takeReport(follower, report)),
            hear: (publisher, news) => ask("hear", (library) => library.hear(publisher, news)),
          };
        },
        index() {
          reads++;
          return skills.index();
        },
        planFarewell: (to, as) => void farewells.push(`${as}:${to}`),
        dropFarewell: (to, as) =>
          void farewells.splice(0, Infinity, ...farewells.filter((one) => one !== `${as}:${to}`)),
        report: (what) => void problems.push(what),
      });
    let library = start();
    libraries.set(profile, () => library);
    return {
      ...{ profile, sql, skills, evidence, lock, farewells, problems },
      reads: () => reads,
      library: () => library,
      /** As after a crash: what is in memory is lost. */
      restart: () => void (library = start()),
      tables: () =>
        sql
          .run<{ name: string }>("SELECT name FROM sqlite_master WHERE name LIKE 'library%' ORDER BY 1")
          .map((row) => row.name),
      head: async (name = NAME) => (await skills.head(name))!,
      adjust: (next: SkillNext, name = NAME) =>
        skills.change(adjustment(name, next, `adjust ${clock.now()} ${sha256Hex(JSON.stringify(next))}`)),
      seen: async (name = NAME) => (await lock.read()).skills[name]!.seen,
    };
  }

  return {
    ...{ clock, bucket, calls },
    newProfile: () => open(newProfileId()),
    breakTheWay: (isBroken: boolean) => void (broken = isBroken),
  };
}

export type World = ReturnType<typeof createLibraryWorld>;
export type Member = ReturnType<World["newProfile"]>;

export async function share(publisher: Member, body = BODY, name = NAME): Promise<void> {
  await publisher.skills.change(
    creation(name, body, `make ${body}`, { origin: "review", state: "active", shared: true }),
  );
}

/** Follows, and installs the publisher's skill as the hub's pipeline does. */
export async function follow(world: World, publisher: Member, follower: Member, evidence = false): Promise<void> {
  const { code } = publisher.library().invite({ label: "Analysts", expiresInMs: 60_000, uses: 1 });
  const followed = await follower.library().follow({ code, evidence, label: "Ours" });
  if (!followed.ok) throw new Error(followed.failure.message);
  await install(world, publisher, follower);
}

export async function install(world: World, publisher: Member, follower: Member): Promise<void> {
  const { text } = await publisher.head();
  publisher.library().give(follower.profile, { skill: NAME, text });
  await writeCopy(world, publisher, follower);
}

/** The end of an install: what was given becomes a skill. */
export async function writeCopy(world: World, publisher: Member, follower: Member, name = NAME): Promise<void> {
  const { text, files } = await publisher.head(name);
  const sha256 = files["SKILL.md"]!.sha256;
  const body = (await publisher.skills.blob(sha256)) as string;
  const identifier = `${publisher.profile}/${name}`;
  const from = { source: "library", identifier, version: text };
  const made = await follower.skills.change(
    creation(name, body, `install ${name}`, { origin: "hub", state: "trial", from }),
  );
  if (!made.ok) throw new Error(made.failure.message);
  const at = world.clock.now();
  await follower.lock.change((lock) => ({
    ...lock,
    skills: {
      ...lock.skills,
      [name]: {
        ...{
          source: "library",
          identifier,
          version: text,
          hash: text,
          files: { "SKILL.md": sha256 },
          rev: made.value.head.rev,
        },
        ...{ trust: "library", verdict: "safe", scanner: 1, findings: 0, installedAt: at, updatedAt: at },
      },
    },
  }));
}

export { DEFAULTS };
