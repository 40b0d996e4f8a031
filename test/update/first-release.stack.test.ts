// The state of the first version whose `npm start` can be installed (commit d636db3d), opened by the present one: sessions, skills with their
// history, memory, reviews, keys, and a turn that was running. The archive was made by that version with rehearsal; first-release.json has what its
// API answered. The trial of an update (scripts/update/trial.ts) reads a copy in the same way.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createClient } from "../../cli/connection/client.ts";
import { exportProfile } from "../../cli/moving/export-profile.ts";
import { createMovingClient } from "../../cli/moving/moving-client.ts";
import { NO_USAGE } from "../../core/schemas/entry.ts";
import { LocalAccess, listProfiles, readOperatorToken } from "../../scripts/stack/local-state.ts";
import { type Stack, startStack } from "../../scripts/stack/stack.ts";
import { selectWorkerVars } from "../../scripts/stack/worker-vars.ts";
import { createTempFolders } from "../support/temp-folders.ts";

const fixtures = join(import.meta.dirname, "../fixtures/update");
interface FirstRelease {
  sessions: { session: string; entries: number; sha256: string; files: [string, number][] }[];
  skills: { name: string; state: string; pinned: boolean; origin: string; revisions: [number, string][] }[];
  memory: [string, string, string, string][];
  reviews: [string, string, string, number][];
  curations: string[];
}
interface AnyEntry {
  n: number;
  turn: number;
  kind: string;
  parts: { text: string }[];
}

const expected = JSON.parse(readFileSync(join(fixtures, "first-release.json"), "utf8")) as FirstRelease;
const folder = createTempFolders()();
const stateDir = join(folder, ".talaria/state");
/** The session with the fewest entries gets a turn that its version began and did not end. */
const running = expected.sessions.toSorted((a, b) => a.entries - b.entries)[0]!;
let stack: Stack;
let access: LocalAccess;

async function ask<T>(method: string, path: string, body?: object): Promise<T> {
  const answer = await fetch(`${stack.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${access.key}`, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  expect(answer.ok, `${method} ${path}: ${answer.status} ${text.slice(0, 300)}`).toBe(true);
  return JSON.parse(text) as T;
}

const entriesOf = async (session: string) =>
  (await ask<{ entries: AnyEntry[] }>("GET", `/v1/sessions/${session}/entries`)).entries;

/** As the first version left it when it was killed in the middle of a turn: a message that was accepted, and the alarm. */
function beginTurn(): void {
  const objects = join(stateDir, "data/v3/do/talaria-api-Session");
  const name = readdirSync(objects).find((file) => {
    if (!file.endsWith(".sqlite") || file === "metadata.sqlite") return false;
    const found = withDatabase(join(objects, file), (db) => db.prepare("SELECT count(*) AS n FROM entry").get());
    return found?.n === running.entries;
  })!;
  withDatabase(join(objects, name), (db) => {
    const [n, turn] = [running.entries + 1, Number(db.prepare("SELECT max(n) AS n FROM turn").get()!.n) + 1];
    const stats = { modelCalls: 0, toolCalls: 0, failedCalls: 0, usage: NO_USAGE };
    const entry = { v: 1, n, turn, at: 0, kind: "user", parts: [{ source: "principal", text: "What can you do?" }] };
    db.prepare("INSERT INTO entry VALUES(?, ?, ?)").run(n, turn, JSON.stringify(entry));
    const columns = "n, state, waiting, input, final, attempts, stats, started_at, ended_at";
    const insert = `INSERT INTO turn(${columns}) VALUES(?, 'running', NULL, ?, NULL, 1, ?, 0, NULL)`;
    db.prepare(insert).run(turn, n, JSON.stringify(stats));
    db.prepare(`INSERT OR REPLACE INTO job VALUES('drive', 0, 0, '{"kind":"drive"}')`).run();
  });
  withDatabase(join(objects, "metadata.sqlite"), (db) => {
    const insert = db.prepare("INSERT OR REPLACE INTO _cf_ALARM(actor_id, scheduled_time, actor_name) VALUES(?, 0, ?)");
    insert.run(name.replace(".sqlite", ""), `${access.profile}/${running.session}`);
  });
}

function withDatabase<T>(file: string, work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(file);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

beforeAll(async () => {
  execFileSync("tar", ["-xzf", join(fixtures, "first-release.tar.gz"), "-C", folder]);
  access = LocalAccess.parse(JSON.parse(readFileSync(join(folder, ".talaria/local.json"), "utf8")));
  beginTurn();
  stack = await startStack({ stateDir, vars: selectWorkerVars({}, readOperatorToken(stateDir)) });
});
afterAll(() => stack?.stop());

describe("the state of the first version", () => {
  it("has its turn that was running carried on, by its alarm alone", async () => {
    await expect
      .poll(async () => (await entriesOf(running.session)).length, { timeout: 30_000 })
      .toBe(running.entries + 3);
    const more = (await entriesOf(running.session)).slice(running.entries);
    expect(more.map(({ kind }) => kind)).toEqual(["user", "notice", "assistant"]);
    expect(more.at(-1)!.parts[0]!.text).toContain("I am rehearsal");
  });

  it("has its sessions with every text and file", async () => {
    const found = await Promise.all(
      expected.sessions.map(async ({ session, entries }) => {
        const texts = (await entriesOf(session))
          .slice(0, entries)
          .map(({ n, turn, kind, parts }) => [n, turn, kind, parts.map(({ text }) => text)]);
        const listed = await ask<{ files: { path: string; size: number }[] }>("GET", `/v1/sessions/${session}/files`);
        const sha256 = createHash("sha256").update(JSON.stringify(texts)).digest("hex");
        return { session, entries: texts.length, sha256, files: listed.files.map(({ path, size }) => [path, size]) };
      }),
    );
    expect(found).toEqual(expected.sessions.map((one) => ({ ...one, files: expect.any(Array) as unknown })));
    for (const [i, { files }] of expected.sessions.entries())
      expect(found[i]!.files).toEqual(expect.arrayContaining(files));
  });

  it("has its skills with their history: edited, learned, pinned and archived ones", async () => {
    for (const { name, state, pinned, origin, revisions } of expected.skills) {
      const { head } = await ask<{ head: Record<string, unknown> | null }>("GET", `/v1/skills/${name}`);
      if (head) expect([name, head.state, head.pinned, head.origin]).toEqual([name, state, pinned, origin]);
      const listed = await ask<{ revisions: { rev: number; text: string }[] }>("GET", `/v1/skills/${name}/revisions`);
      expect(listed.revisions.map(({ rev, text }) => [rev, text])).toEqual(revisions);
    }
  });

  it("has its memory, its reviews and its curations", async () => {
    const { entries } = await ask<{ entries: Record<string, string>[] }>("GET", "/v1/memory");
    const facts = entries.map(({ id, store, text, origin }) => [id, store, text, origin]);
    expect(facts).toEqual(expect.arrayContaining(expected.memory));
    const { reviews } = await ask<{
      reviews: { review: string; state: string; summary: string; lessons: unknown[] }[];
    }>("GET", "/v1/reviews");
    const found = reviews.map(({ review, state, summary, lessons }) => [review, state, summary, lessons.length]);
    expect(found).toEqual(expect.arrayContaining(expected.reviews));
    const { runs } = await ask<{ runs: unknown[] }>("GET", "/v1/curator/runs");
    expect(JSON.stringify(runs)).toContain(expected.curations[0]);
  });

  it("is used on: the key works, a turn ends, usage is counted, and everything can be exported", async () => {
    const client = createClient({ url: stack.url, key: access.key });
    const states: string[] = [];
    for await (const { event } of client.streamMessage(expected.sessions[1]!.session, "What can you do?"))
      if (event.type === "turn_end") states.push(event.state);
    expect(states).toEqual(["done"]);
    await ask("GET", "/v1/usage");
    expect(listProfiles(stateDir)).toEqual([access.profile]);
    await exportProfile(createMovingClient({ url: stack.url, key: access.key }), join(folder, "all.tar"));
  });
});
