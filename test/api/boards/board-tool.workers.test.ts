// The tool `board` and `/board` in real sessions, over the real objects: of a chat, and of a worker that the board has begun.
import { expect, it, vi } from "vitest";
import { START_MS, ask, createProfile, createSession, fetchApi } from "../api-calls.ts";

it(
  "creates a card through the agent's tool, and the person completes it with /board",
  async () => {
    const { key } = await createProfile();
    await ask("PUT", "/v1/boards/main", { key });
    const session = await createSession(key);
    const say = async (text: string) => {
      const { body } = await ask("POST", `/v1/sessions/${session}/messages`, { key, body: { text } });
      // Ends with the turn.
      return (await fetchApi("GET", (body as { events: string }).events, { key })).text();
    };
    await say(`Call board with {"action":"create","title":"Ask Ada","assignee":"@Ada"}`);
    const { body } = await ask("GET", "/v1/boards/main/cards", { key });
    const { cards } = body as { cards: { id: string }[] };
    expect(cards).toMatchObject([
      { title: "Ask Ada", status: "ready", assignee: { person: "Ada" }, author: { by: "agent", session } },
    ]);
    const id = cards[0]!.id;
    expect(await say(`Call board with {"action":"show","card":"${id}"}`)).toContain("Ask Ada");
    expect(await say(`/board complete ${id} She agreed.`)).toContain(`${id} done, @Ada: Ask Ada`);
    const { body: events } = await ask("GET", "/v1/boards/main/events", { key });
    const told = (events as { events: { kind: string; author: { by: string } }[] }).events;
    expect(told.map(({ kind, author }) => [kind, author.by])).toEqual([
      ["created", "agent"],
      ["completed", "owner"],
    ]);
  },
  START_MS,
);

it(
  "works on a card in a session of its own, which ends its run with the tool",
  async () => {
    const { key } = await createProfile();
    const create = async (card: object) =>
      ((await ask("POST", "/v1/boards/main/cards", { key, body: card })).body as { id: string }).id;
    const first = await create({ title: "Count", body: "Run: `echo 4 files`" });
    const second = await create({ title: "List the skills", parents: [first] });
    const read = async (id: string) => (await ask("GET", `/v1/boards/main/cards/${id}`, { key })).body;
    await vi.waitFor(async () => expect(await read(second)).toMatchObject({ card: { status: "done" } }), {
      timeout: 20_000,
      interval: 100,
    });
    expect(await read(first)).toMatchObject({
      card: { status: "done", summary: "4 files", run: null },
      runs: [{ outcome: "completed", summary: "4 files" }],
    });
    const { body } = await ask("GET", `/v1/boards/main/events?card=${first}`, { key });
    const { events } = body as { events: { kind: string; author: { by: string; run?: string }; run: string }[] };
    const completed = events.find(({ kind }) => kind === "completed")!;
    expect(completed.author).toMatchObject({ by: "agent", run: completed.run });
  },
  START_MS,
);
