// The tool `board` and `/board` in a real session, over the real objects: what the agent writes is on the board, in its own name.
import { expect, it } from "vitest";
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
