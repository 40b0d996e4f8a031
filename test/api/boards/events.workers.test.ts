// What happens on a board, as a page and as a WebSocket, and files on its cards, over the real API and a real Board object.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { beforeAll, expect, it } from "vitest";
import { MAX_ATTACHMENT_BYTES } from "../../../core/board/attach.ts";
import { CardEvent } from "../../../core/schemas/board/card.ts";
import { START_MS, ask, createProfile, env, expectProblem, fetchApi } from "../api-calls.ts";

let profile = "";
let key = "";
beforeAll(async () => void ({ profile, key } = await createProfile()), START_MS);

const EVENTS = "/v1/boards/main/events";
const upgrade = { upgrade: "websocket" };
const object = () => env.BOARD.getByName(`${profile}/main`);

/** Cards of a person are never dispatched. */
async function make(title: string, as = key): Promise<string> {
  const { status, body } = await ask("POST", "/v1/boards/main/cards", {
    key: as,
    body: { title, assignee: { person: "Ada" } },
  });
  expect(status).toBe(201);
  return (body as { id: string }).id;
}

async function watch(query = "", headers: Record<string, string> = upgrade, as: string | undefined = key) {
  const response = await fetchApi("GET", `${EVENTS}${query}`, { ...(as !== undefined && { key: as }), headers });
  expect(response.status).toBe(101);
  const socket = response.webSocket!;
  const seen: CardEvent[] = [];
  let wake = () => {};
  socket.addEventListener("message", ({ data }) => {
    seen.push(CardEvent.parse(JSON.parse(String(data))));
    wake();
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.addEventListener("close", ({ code, reason }) => {
      socket.close();
      resolve({ code, reason });
    }),
  );
  socket.accept();
  const until = async (count: number) => {
    while (seen.length < count) await new Promise<void>((resolve) => (wake = resolve));
    return seen;
  };
  return { socket, seen, closed, until, response };
}

async function listEvents(after: number): Promise<CardEvent[]> {
  const { body } = await ask("GET", `${EVENTS}?after=${after}`, { key });
  return (body as { events: CardEvent[] }).events;
}

it("sends what was missed and then what happens, the same as pages, also once the object has hibernated", async () => {
  const card = await make("first");
  const reader = await watch("?after=0");
  expect((await reader.until(1)).map(({ kind }) => kind)).toEqual(["created"]);
  const late = await watch();
  await evictDurableObject(object());
  await ask("POST", `/v1/boards/main/cards/${card}/comments`, { key, body: { text: "Hello." } });
  await late.until(1);
  expect((await reader.until(2)).map(({ n }) => n)).toEqual([1, 2]);
  expect(reader.seen).toEqual(await listEvents(0));
  expect(late.seen).toEqual(await listEvents(1));
  const again = await watch("?after=1");
  expect(await again.until(1)).toEqual(late.seen);
  reader.socket.send("hello");
  expect(await reader.closed).toEqual({ code: 4400, reason: "Readers only listen: say `ping` or nothing." });
});

it("sends a reader that is far behind a part, and the rest once it connects again with the last number", async () => {
  const last = (await listEvents(0)).at(-1)!.n;
  await runInDurableObject(object(), (_, { storage }) =>
    storage.sql.exec(
      `WITH RECURSIVE k (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM k WHERE n < 30) INSERT INTO card_event (card, kind, author, at, facts)
        SELECT 'c000000000000', 'made', '{"by":"board"}', 0, json_object('why', hex(zeroblob(50000))) FROM k`,
    ),
  );
  const reader = await watch(`?after=${last}`);
  expect(await reader.closed).toEqual({ code: 4001, reason: "There is more: connect again with the last number." });
  expect(reader.seen.map(({ n }) => n - last)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
  const again = await watch(`?after=${reader.seen.at(-1)!.n}`);
  expect((await again.until(10)).at(-1)!.n).toBe(last + 30);
});

it("sends the events of one card alone where one is named", async () => {
  const card = await make("watched");
  const reader = await watch(`?card=${card}`);
  await make("another");
  await ask("POST", `/v1/boards/main/cards/${card}/comments`, { key, body: { text: "Hello." } });
  expect((await reader.until(1)).map((event) => [event.card, event.kind])).toEqual([[card, "commented"]]);
});

it("takes the key from a browser's protocols, and notes nothing of a board that is not there", async () => {
  const headers = { ...upgrade, "sec-websocket-protocol": `talaria.v1, bearer.${key}` };
  const { response } = await watch("", headers, undefined);
  expect(response.headers.get("sec-websocket-protocol")).toBe("talaria.v1");
  const wrong = { ...upgrade, "sec-websocket-protocol": `other, bearer.${key}` };
  expectProblem(await ask("GET", EVENTS, { headers: wrong }), 426, "upgrade_required", "WebSocket upgrade required");
  const absent = await ask("GET", "/v1/boards/absent/events", { key, headers: upgrade });
  expectProblem(absent, 404, "board_not_found", "No such board");
  const holders = await runInDurableObject(env.ACCOUNT.getByName(profile), (_, { storage }) =>
    storage.sql.exec("SELECT DISTINCT session FROM key_socket").toArray(),
  );
  expect(holders).toEqual([{ session: "board:main" }]);
});

it("closes the sockets of a key that has ended, and those of a board that is deleted", async () => {
  const { body } = await ask("POST", "/v1/keys", { key, body: { scopes: ["read"] } });
  const other = body as { id: string; key: string };
  const watched = await watch("", upgrade, other.key);
  const owners = await watch();
  expect((await ask("DELETE", `/v1/keys/${other.id}`, { key })).status).toBe(204);
  expect(await watched.closed).toEqual({ code: 4003, reason: "The key was revoked." });
  expect((await ask("DELETE", "/v1/boards/main", { key })).status).toBe(204);
  expect(await owners.closed).toEqual({ code: 4404, reason: "This board was deleted." });
  const left = await runInDurableObject(env.ACCOUNT.getByName(profile), (_, { storage }) =>
    storage.sql.exec("SELECT count(*) AS n FROM key_socket").one(),
  );
  expect(left).toEqual({ n: 0 });
  expect(await runDurableObjectAlarm(object())).toBe(false);
});

it("keeps a file of a card up to the limit of attachments, byte for byte", async () => {
  const path = `/v1/boards/main/cards/${await make("files")}/attachments/a.bin`;
  const bytes = new Uint8Array(3 << 20).map((_, i) => i % 251);
  const headers = { "content-type": "application/octet-stream" };
  expect((await ask("PUT", path, { key, body: bytes, headers })).body).toMatchObject({ bytes: bytes.length });
  const read = await fetchApi("GET", path, { key });
  expect(Buffer.from(await read.arrayBuffer()).equals(bytes)).toBe(true);
  const length = { ...headers, "content-length": String(MAX_ATTACHMENT_BYTES + 1) };
  const refused = await ask("PUT", path, { key, body: "x", headers: length });
  expectProblem(refused, 413, "attachment_too_large", "The attachment is too large");
});
