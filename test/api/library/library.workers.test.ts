// The shared library over the API: who may change trust, what a follower can reach of its publisher, and how a copy is updated. The Accounts are real;
// what they say to each other in the background is tested in test/library/, and on a whole stack in test/flows/library.stack.test.ts.
import { runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { SkillHead } from "../../../core/schemas/skill.ts";
import { type Answer, OPERATOR, START_MS, ask, createProfile, createSession, env } from "../api-calls.ts";

interface Member {
  profile: string;
  key: string;
}

let publisher: Member;
let follower: Member;
let offered: string;

const NAME = "tides";
const skillMd = (text: string, name = NAME) =>
  `---\nname: ${name}\ndescription: Reads ${name}.\n---\n\n# T\n\n${text}\n`;
const put = (by: Member, text: string, more: object = {}) =>
  ask("PUT", `/v1/skills/${NAME}`, { key: by.key, body: { files: { "SKILL.md": skillMd(text), ...more } } });
const head = async (by: Member) =>
  ((await ask("GET", `/v1/skills/${NAME}`, { key: by.key })).body as { head: SkillHead }).head;
const publish = (by: Member, body: object, name = NAME) =>
  ask("POST", `/v1/skills/${name}/publish`, { key: by.key, body });

async function invite(by: Member): Promise<string> {
  return ((await ask("POST", "/v1/library/invitations", { key: by.key, body: {} })).body as { code: string }).code;
}

const codeOf = ({ status, body }: Answer) => [status, (body as { code?: string } | null)?.code];

beforeAll(async () => {
  [publisher, follower] = [await createProfile(), await createProfile()];
  offered = `/v1/library/following/${publisher.profile}`;
  await put(publisher, "Ask the harbour.");
  await publish(publisher, { shared: true });
  const code = await invite(publisher);
  expect((await ask("POST", "/v1/library/following", { key: follower.key, body: { code } })).status).toBe(201);
}, START_MS);

describe("trust", () => {
  it("is changed by admins only, and each change is noted", async () => {
    const made = await ask("POST", "/v1/keys", { key: follower.key, body: { scopes: ["read", "write"] } });
    const { key } = made.body as { key: string };
    for (const [method, path, body] of [
      ["POST", "/v1/library/invitations", {}],
      ["POST", "/v1/library/following", { code: "tlib_x" }],
      ["PATCH", offered, { evidence: true }],
      ["DELETE", offered, undefined],
      ["POST", `${offered}/install`, {}],
      ["DELETE", `/v1/library/followers/${publisher.profile}`, undefined],
    ] as const) {
      expect(codeOf(await ask(method, path, { key, ...(body && { body }) }))).toEqual([403, "scope_missing"]);
    }
    expect((await ask("GET", "/v1/library", { key })).status).toBe(200);
    await ask("PATCH", offered, { key: follower.key, body: { label: "Books" } });
    const { entries } = (await ask("GET", "/v1/audit", { key: follower.key })).body as { entries: { act: string }[] };
    expect(entries.map(({ act }) => act)).toEqual([
      ...["library_following_change", "key_create", "library_follow", "profile_create"],
    ]);
  });

  it("begins with a code that is shown once and stored as a hash", async () => {
    const code = await invite(publisher);
    const secret = code.split("_")[2]!;
    expect(JSON.stringify((await ask("GET", "/v1/library", { key: publisher.key })).body)).not.toContain(secret);
    await runInDurableObject(env.ACCOUNT.getByName(publisher.profile), (_, { storage }) => {
      expect(JSON.stringify(storage.sql.exec("SELECT * FROM library_invitation").toArray())).not.toContain(secret);
    });
    const { body } = await ask("GET", "/v1/library", { key: publisher.key });
    const [{ id }] = (body as { invitations: [{ id: string }] }).invitations;
    const remove = () => ask("DELETE", `/v1/library/invitations/${id}`, { key: publisher.key });
    expect([(await remove()).status, codeOf(await remove())]).toEqual([204, [404, "invitation_not_found"]]);
    const follow = await ask("POST", "/v1/library/following", { key: follower.key, body: { code } });
    expect(codeOf(follow)).toEqual([403, "invitation_unknown"]);
    const own = await ask("POST", "/v1/library/following", { key: publisher.key, body: { code } });
    expect(codeOf(own)).toEqual([409, "own_library"]);
  });

  it("is refused to who only knows an id, with the answer for a profile that does not exist", async () => {
    const stranger = await createProfile();
    const nobody = "0".repeat(26);
    for (const profile of [publisher.profile, nobody]) {
      const answers = [
        await ask("GET", `/v1/library/following/${profile}/skills`, { key: stranger.key }),
        await ask("POST", `/v1/library/following/${profile}/install`, { key: stranger.key }),
        await ask("POST", "/v1/hub/inspect", { key: stranger.key, body: { source: `library:${profile}/${NAME}` } }),
        await ask("POST", "/v1/library/following", {
          key: stranger.key,
          body: { code: `tlib_${profile}_${"0".repeat(52)}` },
        }),
      ];
      expect(answers.map((answer) => codeOf(answer)[1])).toEqual([
        ...["not_followed", "not_followed", "hub_not_found", "invitation_unknown"],
      ]);
    }
    await runInDurableObject(env.ACCOUNT.getByName(nobody), (_, { storage }) => {
      expect(storage.sql.exec("SELECT name FROM sqlite_master").toArray()).toEqual([]);
    });
  });
});

describe("a copy", () => {
  it("is installed with the publisher's text, on trial, and updated only as it was shown", async () => {
    const install = () => ask("POST", `${offered}/install`, { key: follower.key });
    expect((await install()).body).toMatchObject({ installed: [{ name: NAME, rev: 1 }], refused: [], left: [] });
    expect((await install()).body).toMatchObject({ installed: [{ name: NAME, rev: 1 }] });
    const first = await head(publisher);
    expect(await head(follower)).toMatchObject({ text: first.text, state: "trial", origin: "hub" });

    await put(publisher, "Ask the harbour, twice.", { "scripts/ask.sh": "#!/bin/sh\nls\n" });
    const { skills } = (await ask("GET", `${offered}/skills`, { key: follower.key })).body as { skills: object[] };
    expect(skills).toMatchObject([{ name: NAME, installed: true, update: true }]);
    expect(await head(follower)).toMatchObject({ text: first.text, rev: 1 });
    const update = (body: object) => ask("POST", `/v1/hub/skills/${NAME}/update`, { key: follower.key, body });
    const shown = (await update({})).body as { outcome: string; to: { hash: string } };
    expect(shown).toMatchObject({ outcome: "preview" });
    expect(JSON.stringify(shown)).toContain("scripts/ask.sh");
    expect((await update({ hash: shown.to.hash })).body).toMatchObject({ outcome: "updated" });
    expect((await head(follower)).text).toBe((await head(publisher)).text);
  });

  it("cannot be made of a text that was looked at and is no longer shared", async () => {
    const other = await createProfile();
    const code = await invite(publisher);
    await ask("POST", "/v1/library/following", { key: other.key, body: { code } });
    const source = `library:${publisher.profile}/${NAME}`;
    const seen = (await ask("POST", "/v1/hub/inspect", { key: other.key, body: { source } })).body as { hash: string };
    await publish(publisher, { shared: false });
    const install = { key: other.key, body: { source, hash: seen.hash } };
    expect(codeOf(await ask("POST", "/v1/hub/install", install))).toEqual([404, "hub_not_found"]);
    await publish(publisher, { shared: true });
    expect((await ask("POST", "/v1/hub/install", install)).status).toBe(200);
  });

  it("stays when following ends, on either side, and nothing more is read", async () => {
    const other = await createProfile();
    const code = await invite(publisher);
    await ask("POST", "/v1/library/following", { key: other.key, body: { code } });
    await ask("POST", `${offered}/install`, { key: other.key });
    const remove = () => ask("DELETE", `/v1/library/followers/${other.profile}`, { key: publisher.key });
    expect([(await remove()).status, codeOf(await remove())]).toEqual([204, [404, "follower_not_found"]]);
    expect(codeOf(await ask("GET", `${offered}/skills`, { key: other.key }))).toEqual([404, "not_followed"]);
    await vi.waitFor(async () => {
      expect((await ask("GET", "/v1/library", { key: other.key })).body).toMatchObject({ following: [] });
    }, 20_000);
    expect((await head(other)).state).toBe("trial");
    const { skills } = (await ask("GET", "/v1/hub/skills", { key: other.key })).body as { skills: object[] };
    expect(skills).toMatchObject([{ seen: { state: "gone", detail: expect.stringContaining("no longer shares") } }]);
  });

  it("stays when its publisher is deleted, which leaves no row behind", async () => {
    const [gone, other] = [await createProfile(), await createProfile()];
    await put(gone, "Ask the pilot.");
    await publish(gone, { shared: true });
    const code = await invite(gone);
    await ask("POST", "/v1/library/following", { key: other.key, body: { code } });
    await ask("POST", `/v1/library/following/${gone.profile}/install`, { key: other.key });
    const list = () => ask("GET", "/v1/library", { key: other.key });
    expect((await list()).body).toMatchObject({ following: [{ profile: gone.profile }] });
    expect((await ask("DELETE", `/v1/profiles/${gone.profile}`, { key: OPERATOR })).status).toBe(204);
    await vi.waitFor(async () => expect((await list()).body).toMatchObject({ following: [] }), 20_000);
    expect((await head(other)).state).toBe("trial");
    const { skills } = (await ask("GET", "/v1/hub/skills", { key: other.key })).body as { skills: object[] };
    expect(skills).toMatchObject([{ seen: { state: "gone", detail: expect.stringContaining("was deleted") } }]);
  });
});

it("what a person changes through any route is looked at soon, such as a decision on a pending change", async () => {
  const account = env.ACCOUNT.getByName(publisher.profile);
  const due = () =>
    runInDurableObject(account, (_, { storage }) => {
      const [row] = storage.sql.exec<{ due: number }>("SELECT due FROM library_look").toArray();
      return row!.due;
    });
  await runInDurableObject(account, (_, { storage }) => {
    storage.sql.exec("UPDATE library_look SET due = ?", Date.now() + 60 * 60_000);
  });
  await ask("GET", `/v1/skills/${NAME}`, { key: publisher.key });
  expect((await due()) - Date.now()).toBeGreaterThan(30 * 60_000);
  await ask("POST", `/v1/skills/${NAME}/pin`, { key: publisher.key, body: { pinned: true } });
  expect((await due()) - Date.now()).toBeLessThanOrEqual(10_000);
});

it("what a turn may have changed is looked at soon after it", async () => {
  const session = await createSession(publisher.key);
  const account = env.ACCOUNT.getByName(publisher.profile);
  await runInDurableObject(account, (_, { storage }) => {
    storage.sql.exec("UPDATE library_look SET due = ?", Date.now() + 60 * 60_000);
  });
  await account.book({ id: `${session}-1`, session, at: Date.now(), lines: [] });
  const due = await runInDurableObject(
    account,
    (_, { storage }) => storage.sql.exec<{ due: number }>("SELECT due FROM library_look").one().due,
  );
  expect(due - Date.now()).toBeLessThanOrEqual(10_000);
});

it("sharing needs a skill in use, and says which of both", async () => {
  const key = publisher.key;
  expect(codeOf(await publish(publisher, {}))).toEqual([400, "body_invalid"]);
  await ask("PUT", "/v1/skills/waves", { key, body: { files: { "SKILL.md": skillMd("W.", "waves") } } });
  expect((await publish(publisher, { public: true }, "waves")).body).toMatchObject({ public: true });
  const { skills } = (await ask("GET", `${offered}/skills`, { key: follower.key })).body as { skills: object[] };
  expect(skills).toMatchObject([{ name: NAME }, { name: "waves" }]);
  await ask("POST", "/v1/skills/waves/archive", { key });
  expect(codeOf(await publish(publisher, { shared: true }, "waves"))).toEqual([409, "skill_archived"]);
});

it("a skill's history says who changed it, also when their key is revoked, and the skill stays", async () => {
  const owner = await createProfile();
  const made = await ask("POST", "/v1/keys", { key: owner.key, body: { label: "Dana", scopes: ["read", "write"] } });
  const { id, key } = made.body as { id: string; key: string };
  await put({ ...owner, key }, "One.");
  await put(owner, "Two.");
  await ask("POST", `/v1/skills/${NAME}/revisions/2/undo`, { key });
  await ask("POST", "/v1/skills/other-tides/pin", { key, body: { pinned: true } });
  expect((await ask("DELETE", `/v1/keys/${id}`, { key: owner.key })).status).toBe(204);
  const { revisions, acts } = (await ask("GET", `/v1/skills/${NAME}/revisions`, { key: owner.key })).body as {
    revisions: object[];
    acts: { at: number; by: string; label?: string; act: string; rev?: number }[];
  };
  expect(revisions.length).toBe(3);
  expect(acts.map(({ at: _at, by: _by, ...act }) => act)).toEqual([
    { label: "Dana", act: "skill_undo", rev: 2 },
    { label: "first", act: "skill_put" },
    { label: "Dana", act: "skill_put" },
  ]);
  expect(acts[0]!.by).toBe(id);
  expect((await head(owner)).state).toBe("active");
  const page = await ask("GET", `/v1/skills/${NAME}/revisions?after=2`, { key: owner.key });
  expect(page.body).not.toHaveProperty("acts");
});
