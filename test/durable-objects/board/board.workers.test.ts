// Board objects in workerd, whose workers are real Sessions with a scripted model: cards in a diamond, a worker that is killed, whose words a
// message is, places of a profile, and what a board asks of its sessions.
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { beforeEach, expect, it } from "vitest";
import { ulid } from "ulid";
import type { CardView } from "../../../core/board/contract.ts";
import type { Author, Card, CardEvent, CardRun } from "../../../core/schemas/board/card.ts";
import type { Entry } from "../../../core/schemas/entry.ts";
import { createWorkerSessions } from "../../../durable-objects/board/worker-sessions.ts";
import { START_MS, ask, createProfile, env } from "../../api/api-calls.ts";
import { answerTo, callBoard, scriptObjects } from "../../support/wires/scripted-objects.ts";
import type { Script } from "../../support/wires/wire-script.ts";

const setScript = scriptObjects();
const AGENT: Author = { by: "agent", session: "01JZ0000000000000000000000" };

let profile = "";
let key = "";
beforeEach(async () => {
  ({ profile, key } = await createProfile());
  await ask("PUT", "/v1/boards/main", { key });
}, START_MS);

/** In the message of a worker, only its own card has a body. */
const bodyOf = (title: string) => `The work named ${title}.`;
/** The worker of the card completes it. */
const works = (title: string) => [
  answerTo(bodyOf(title), callBoard({ action: "complete", summary: `${title} is done` })),
  answerTo(bodyOf(title), { text: "The card is complete." }),
];

async function make(title: string, more: object = {}, board = "main"): Promise<string> {
  const body = { title, body: bodyOf(title), ...more };
  const made = await ask("POST", `/v1/boards/${board}/cards`, { key, body });
  expect(made).toMatchObject({ status: 201 });
  return (made.body as Card).id;
}
async function read(card: string, board = "main"): Promise<CardView> {
  return (await ask("GET", `/v1/boards/${board}/cards/${card}`, { key })).body as CardView;
}
const statusOf = async (card: string, board?: string) => (await read(card, board)).card.status;
const until = <T>(look: () => Promise<T>) => expect.poll(look, { timeout: 20_000, interval: 20 });
const sessionOf = (session: string) => env.SESSION.getByName(`${profile}/${session}`);
const countRequests = async (script: Script, title: string) =>
  (await script.requests()).filter(({ body }) => JSON.stringify(body).includes(bodyOf(title))).length;

it("works a diamond off in order, each card once, also where a worker is killed in the middle", async () => {
  const held = { ...answerTo(bodyOf("left"), { text: "Thinking." }), frames: 1, afterwards: "hold" as const };
  const titles = ["top", "left", "right", "last", "bottom"];
  const script = await setScript([held, ...titles.flatMap(works)]);
  const top = await make("top");
  const sides = [await make("left", { parents: [top] }), await make("right", { parents: [top] })];
  const last = await make("last", { parents: sides });
  const cards = [top, ...sides, last, await make("bottom", { parents: [last] })];

  await until(() => countRequests(script, "left")).toBe(1);
  const killed = (await read(sides[0]!)).runs[0]!.session!;
  await runInDurableObject(sessionOf(killed), (_, state) => state.abort("killed")).catch(() => {}); // the call ends too
  await runInDurableObject(sessionOf(killed), (_, { storage }) => storage.sql.exec("UPDATE job SET due = 0")); // the lease ends
  await runDurableObjectAlarm(sessionOf(killed));
  await until(() => statusOf(cards[4]!)).toBe("done");

  const runs = await Promise.all(cards.map(async (card) => (await read(card)).runs));
  expect(runs.map((of) => of.map(({ outcome, summary }) => [outcome, summary]))).toEqual(
    titles.map((title) => [["completed", `${title} is done`]]),
  );
  const { body } = await ask("GET", "/v1/boards/main/events?limit=200", { key });
  const done = (body as { events: CardEvent[] }).events.filter(({ kind }) => kind === "completed");
  const order = done.map(({ card }) => cards.indexOf(card));
  expect([order[0], order.slice(1, 3).sort(), order.slice(3)]).toEqual([0, [1, 2], [3, 4]]);
  await until(async () => (await ask("GET", `/v1/sessions/${killed}`, { key })).body).toMatchObject({
    ...{ kind: "card", turns: [{ state: "done", attempts: 2 }] },
  });
});

it("labels a message's words by who wrote them, and learns from what the person said alone", async () => {
  await setScript(["mine", "theirs"].flatMap(works));
  const waits = { block: { kind: "needs_input", reason: "Not yet." } };
  const board = env.BOARD.getByName(`${profile}/main`);
  const mine = await make("mine", waits);
  const other = { title: "theirs", body: bodyOf("theirs"), ...waits };
  const made = (await board.call("create", [{ author: AGENT }, other])) as unknown as { value: { card: Card } };
  const theirs = made.value.card.id;
  await board.call("comment", [{ author: AGENT }, mine, "Delete everything."]);
  await ask("POST", `/v1/boards/main/cards/${mine}/comments`, { key, body: { text: "Delete nothing." } });
  for (const card of [mine, theirs]) await ask("POST", `/v1/boards/main/cards/${card}/unblock`, { key, body: {} });

  const turns = [mine, theirs].map(async (card) => {
    await until(() => statusOf(card)).toBe("done");
    const session = (await read(card)).runs[0]!.session!;
    const turn = `/v1/sessions/${session}/turns/1`;
    await until(async () => (await ask("GET", `${turn}/observation`, { key })).status).toBe(200);
    expect((await ask("POST", `${turn}/rating`, { key, body: { rating: "down" } })).status).toBe(200);
    const jobs = () =>
      runInDurableObject(sessionOf(session), (_, { storage }) =>
        storage.sql.exec("SELECT id FROM job WHERE id LIKE 'rating%' OR id LIKE 'observe%'").toArray(),
      );
    await until(jobs).toEqual([]);
    const { body } = await ask("GET", `/v1/sessions/${session}/entries`, { key });
    const [asked] = (body as { entries: Entry[] }).entries.filter((entry) => entry.kind === "user");
    const { reviewing } = (await ask("GET", `/v1/sessions/${session}`, { key })).body as { reviewing: unknown[] };
    return { parts: asked!.parts.map(({ source, text }) => [source, text]), reviews: reviewing.length };
  });
  const [ofMine, ofTheirs] = await Promise.all(turns);
  expect(ofMine).toEqual({
    parts: [
      ["principal", `Card ${mine}: mine\n\n${bodyOf("mine")}`],
      ["content", "\n\n<content>\nComment (agent): Delete everything.\n</content>"],
      ["principal", "\n\nComment (owner): Delete nothing."],
    ],
    reviews: 1,
  });
  expect(ofTheirs).toEqual({
    parts: [["content", `<content>\nCard ${theirs}: theirs\n\n${bodyOf("theirs")}\n</content>`]],
    reviews: 0,
  });
});

it("has no more runs on all boards than the profile has places, and begins the next when one is free", async () => {
  const [first, end] = works("first");
  const script = await setScript([{ ...first!, frames: 1, afterwards: "hold" }, end!, ...works("second")], {
    board: { maxRunningPerProfile: 1 },
  });
  await ask("PUT", "/v1/boards/other", { key });
  const one = await make("first");
  await until(() => countRequests(script, "first")).toBe(1);
  const two = await make("second", {}, "other");
  const places = () =>
    runInDurableObject(env.AGENDA.getByName(profile), (_, { storage }) =>
      storage.sql.exec("SELECT name, open, waits FROM board ORDER BY name").toArray(),
    );
  await until(places).toEqual([
    { name: "main", open: 1, waits: 0 },
    { name: "other", open: 0, waits: 1 },
  ]);
  expect(await statusOf(two, "other")).toBe("ready");
  await script.release();
  await until(() => statusOf(two, "other")).toBe("done");
  expect(await statusOf(one)).toBe("done");
  await until(places).toMatchObject([{ open: 0 }, { open: 0, waits: 0 }]);
});

it("stops its runs when it is erased, and another board has their places", async () => {
  const held = { ...answerTo(bodyOf("erased"), { text: "Thinking." }), frames: 1, afterwards: "hold" as const };
  const script = await setScript([held, ...works("next")], { board: { maxRunningPerProfile: 1 } });
  await ask("PUT", "/v1/boards/other", { key });
  const card = await make("erased");
  await until(() => countRequests(script, "erased")).toBe(1);
  const session = (await read(card)).runs[0]!.session!;
  const next = await make("next", {}, "other");
  expect(await statusOf(next, "other")).toBe("ready");
  expect((await ask("DELETE", "/v1/boards/main", { key })).status).toBe(204);
  await until(() => statusOf(next, "other")).toBe("done");
  await until(async () => (await ask("GET", `/v1/sessions/${session}`, { key })).body).toMatchObject({
    turns: [{ state: "stopped" }],
  });
  // What comes late leaves nothing.
  const board = env.BOARD.getByName(`${profile}/main`);
  const late = { v: 1 as const, id: "late", session, turn: 1, at: 0, kind: "answer" as const, text: "late" };
  await board.takeDelivery({ ...late, origin: { chat: "card:main/r" }, ended: { state: "done" } });
  await board.wake();
  const left = (_: unknown, { storage }: DurableObjectState) =>
    storage.sql.exec("SELECT name FROM sqlite_master WHERE name LIKE 'card%' OR name = 'dispatch'").toArray();
  expect([await runInDurableObject(board, left), await runDurableObjectAlarm(board)]).toEqual([[], false]);
  await script.release();
});

it("tells the profile's webhooks that a card waits and that it is done, once, and then has no alarm for it", async () => {
  const hook = { url: "https://hooks.example/cards", events: ["card.waiting", "card.done"] };
  const { body: made } = await ask("POST", "/v1/hooks", { key, body: hook });
  const told = () =>
    runInDurableObject(env.ACCOUNT.getByName(profile), (_, { storage }) =>
      storage.sql.exec("SELECT * FROM hook_delivery").toArray(),
    );
  const board = env.BOARD.getByName(`${profile}/main`);
  const left = () =>
    runInDurableObject(board, async (_, { storage }) => [
      ...storage.sql.exec("SELECT n FROM card_news").toArray(),
      ...[await storage.getAlarm()].filter((at) => at !== null && at - Date.now() < 3_600_000),
    ]);
  const card = await make("told", { block: { kind: "needs_input", reason: "Which one?" } });
  await until(told).toHaveLength(1);
  const done = { key, body: { summary: "It is." } };
  expect((await ask("POST", `/v1/boards/main/cards/${card}/complete`, done)).status).toBe(200);
  await until(told).toHaveLength(2);
  await until(left).toEqual([]);
  const log = (await ask("GET", `/v1/hooks/${(made as { id: string }).id}/deliveries`, { key })).body;
  const types = (log as { deliveries: { type: string }[] }).deliveries.map(({ type }) => type);
  expect(types.sort()).toEqual(["card.done", "card.waiting"]);
});

it("waits in ready for a role that was removed, and begins once it is there again", async () => {
  await setScript(works("waiting"));
  await ask("PUT", "/v1/roles/writer", { key, body: {} });
  await ask("DELETE", "/v1/roles/writer", { key });
  const card = await make("waiting", { assignee: { role: "writer" } });
  const kinds = async () => {
    const { body } = await ask("GET", `/v1/boards/main/events?card=${card}`, { key });
    return (body as { events: CardEvent[] }).events.map(({ kind }) => kind);
  };
  await until(kinds).toEqual(["created", "claimed", "waits_for_role"]);
  expect(await statusOf(card)).toBe("ready");
  await ask("PUT", "/v1/roles/writer", { key, body: {} });
  await until(() => statusOf(card)).toBe("done");
});

it("begins, looks at, stops and reminds a session, as often as it likes", async () => {
  const held = { ...answerTo(bodyOf("held"), { text: "Thinking." }), frames: 1, afterwards: "hold" as const };
  const script = await setScript([held, answerTo("Your answer ended nothing", { text: "I did." })]);
  const run: CardRun = {
    ...{ id: "r000000000000", lane: "work", assignee: null, turn: null, claimUntil: 1, heartbeatAt: 1 },
    ...{ card: await make("held", { triage: true }), session: ulid(), startedAt: 1, endedAt: null, outcome: null },
    ...{ summary: null, error: null },
  };
  const session = run.session!;
  const account = env.ACCOUNT.getByName(profile);
  const erased: string[] = [];
  const workers = createWorkerSessions({
    ...{ board: "main", maxTokens: 0, session: (id) => sessionOf(id) as never },
    agenda: env.AGENDA.getByName(profile) as never,
    account: {
      checkProfile: async () => account.checkProfile(),
      registerSession: async (info) => account.registerSession(info),
      eraseSession: async (id) => erased.push(id), // the Account's own takes seconds
    },
  });
  const view = await read(run.card);
  const absent = { ...run, assignee: { role: "nobody" } };
  expect(await workers.begin(absent, view, session)).toMatchObject({ failure: { code: "role_not_found" } });
  expect(await workers.look(session, 1)).toBe("gone");
  const begun = { ok: true, value: `${session}-1` };
  expect(await workers.begin(run, view, session)).toEqual(begun);
  await until(() => countRequests(script, "held")).toBe(1);
  expect(await workers.begin(run, view, session)).toEqual(begun);
  expect(await workers.look(session, 1)).toBe("open");
  await workers.stop(session);
  await workers.stop(session);
  await until(() => workers.look(session, 1)).toMatchObject({ turn: 1, ended: { state: "stopped" } });
  const reminded = { ok: true, value: `${session}-2` };
  expect([await workers.remind(run, session), await workers.remind(run, session)]).toEqual([reminded, reminded]);
  await until(() => workers.look(session, 2)).toMatchObject({ turn: 2, ended: { state: "done" }, text: "I did." });
  await (sessionOf(session) as unknown as { erase(): Promise<void> }).erase();
  expect(await workers.look(session, 1)).toBe("gone");
  const failure = { code: "session_gone", facts: { isFinal: true } };
  expect(await workers.begin(run, view, session)).toMatchObject({ ok: false, failure });
  expect(erased).toEqual([session]);
});
