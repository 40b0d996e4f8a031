// `talaria board`, against a fake API: what it requests, prints and refuses.
import { describe, expect, it } from "vitest";
import { board } from "../../cli/verbs/board.ts";
import { CARD_ACTIONS } from "../../core/schemas/board/card-api.ts";
import type { Card } from "../../core/schemas/board/card.ts";
import { type Handler, answerJson } from "../support/fake-api.ts";
import { ask } from "../support/run-talaria.ts";

const ID = "c0123456789ab";
const AT = `/v1/boards/main/cards/${ID}`;
const card = (more: Partial<Card> = {}): Card => ({
  ...{ v: 2, id: ID, title: "Write it", body: "All of it.", author: { by: "owner" }, assignee: { role: "coder" } },
  ...{ status: "ready", priority: 0, label: null, createdAt: 1, changedAt: 1, startedAt: null, endedAt: null },
  ...{ notBefore: null, run: null, claimUntil: null, block: null, reason: null, summary: null, failures: 0 },
  ...{ recurrences: 0, limits: {}, skills: [] },
  ...more,
});
const one = (more: Partial<Card> = {}) => answerJson(200, card(more));
const problem = (code: string) => ({
  ...{ type: `urn:talaria:problem:${code}`, title: code, status: 404, code, detail: "There is none.", instance: "/" },
});
const cards = (...found: Card[]) => answerJson(200, { cards: found });

describe("talaria board", () => {
  it("has an action for each row of the table of actions, with help as narrow as a terminal", () => {
    const names = board.actions.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(Object.keys(CARD_ACTIONS)));
    expect(board.actions.filter(({ help }) => help.length > 74).map(({ name }) => name)).toEqual([]);
  });

  it("lists cards, by status, assignee and board", async () => {
    const { stdout, requests } = await ask(
      ["board", "list", "--status", "ready", "--for", "coder", "--board", "work"],
      [cards(card())],
    );
    expect(requests).toEqual(["GET /v1/boards/work/cards?status=ready&role=coder"]);
    expect(stdout).toMatch(/^card +status +for +changed +title\nc0123456789ab +ready +coder +.* +Write it\n$/);
    expect((await ask(["board", "list", "--for", "coder"], [cards()])).stderr).toBe("There is no such card.\n");
  });

  it("says how a first card is made, also before there is a board", async () => {
    const none = answerJson(404, problem("board_not_found"));
    const first = "There is no card. `talaria board create TITLE` makes one.\n";
    for (const answer of [cards(), none])
      expect(await ask(["board"], [answer])).toMatchObject({ code: 0, stderr: first });
    expect((await ask(["board", "--json"], [none])).stdout).toBe('{"cards":[]}\n');
    expect((await ask(["board", "--board", "work"], [none])).code).toBe(3);
  });

  it("shows a card whole", async () => {
    const detail = {
      ...{ card: card({ summary: "Written." }), isOwners: true, parents: [], children: [], runs: [], attachments: [] },
      ...{ comments: [{ n: 1, author: { by: "person", name: "Ada" }, at: 1, text: "Well done." }], implementer: null },
    };
    const { stdout, requests } = await ask(["board", "show", ID], [answerJson(200, detail)]);
    expect(requests).toEqual([`GET ${AT}`]);
    for (const part of ["All of it.", "Result: Written.", "@Ada: Well done."]) expect(stdout).toContain(part);
  });

  it("makes a card of words and flags", async () => {
    const flags = ["--body", "All of it.", "--for", "@Ada", "--priority=-2", "--parent", ID];
    const made = answerJson(201, card({ status: "todo", assignee: { person: "Ada" } }));
    const { stdout, requests } = await ask(["board", "create", "Write", "it", ...flags], [made]);
    const body = { title: "Write it", body: "All of it.", assignee: { person: "Ada" }, parents: [ID], priority: -2 };
    expect(requests).toEqual([`POST /v1/boards/main/cards ${JSON.stringify(body)}`]);
    expect(stdout).toBe(`${ID} todo, @Ada: Write it\n`);
  });

  it.each<[string[], string]>([
    [["assign", ID, "-"], `POST ${AT}/assign {"assignee":null}`],
    [["assign", ID, "nobody"], `POST ${AT}/assign {"assignee":null}`],
    [["start", ID], `POST ${AT}/start {}`],
    [["complete", ID, "All", "done."], `POST ${AT}/complete {"summary":"All done."}`],
    [["block", ID, "needs_input", "Which", "one?"], `POST ${AT}/block {"kind":"needs_input","reason":"Which one?"}`],
    [["move", ID, "done", "Did", "it."], `POST ${AT}/move {"to":"done","reason":"Did it.","summary":"Did it."}`],
    [["move", ID, "scheduled", "1970-01-01T00:00:09Z"], `POST ${AT}/move {"to":"scheduled","notBefore":9000}`],
    [["request-changes", ID, "No."], `POST ${AT}/request-changes {"reason":"No."}`],
    [["heartbeat", ID], `POST ${AT}/heartbeat {}`],
  ])("carries out %j", async (words, request) => {
    expect(await ask(["board", ...words], [one()])).toMatchObject({ code: 0, requests: [request] });
  });

  it("finds a card by the first letters of its id, and says so when it cannot", async () => {
    const other = card({ id: "c0123zzzzzzzz" });
    expect((await ask(["board", "start", "c01234"], [cards(card(), other), one()])).requests).toEqual([
      "GET /v1/boards/main/cards",
      `POST ${AT}/start {}`,
    ]);
    for (const [word, sentence] of [
      ["c0123", "2 cards begin with 'c0123'."],
      ["c999", "No open card has or begins with the id 'c999'."],
      ["c99", "Write at least 4 letters of a card's id, not 'c99'."],
    ] as const) {
      const refused = await ask(["board", "start", word], [cards(card(), other)]);
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(sentence) });
    }
  });

  it.each([
    [["block", ID, "sometimes", "x"], "Write it as `talaria board block CARD KIND REASON...`."],
    [["block", ID, "sometimes", "x"], "`kind`: one of needs_input, capability, transient, dependency."],
    [
      ["assign", ID, "Ada"],
      "lower-case letters, digits and dashes between them. Write it as `talaria board assign CARD ROLE|@NAME|-`.",
    ],
    [["move", ID, "scheduled", "tomorrow"], "`notBefore`: a time such as 2026-12-24T18:00"],
    [["complete", ID], "Write it as `talaria board complete CARD SUMMARY...`."],
    [["create", "x", "--priority", "high"], "--priority takes a whole number"],
    [["create", "x", "--for", "No Role"], "--for takes a role, @NAME or -"],
    [["list", "--for", "-"], "--for takes a role or @NAME here."],
    [["lits"], "Did you mean `talaria board list`?"],
  ])("refuses %j before it asks the server", async (words, sentence) => {
    const refused = await ask(["board", ...words], []);
    expect(refused).toMatchObject({ code: 2, requests: [], stderr: expect.stringContaining(sentence) });
  });

  it("counts, tells what happened, comments and deletes", async () => {
    const stats = { byStatus: Object.fromEntries(STATUSES.map((status) => [status, status === "done" ? 2 : 0])) };
    const counted = answerJson(200, { ...stats, byAssignee: [], oldestReadyAt: null });
    expect((await ask(["board", "stats"], [counted])).stdout).toBe("done: 2\n");
    const event = {
      n: 7,
      card: ID,
      run: null,
      kind: "created",
      author: { by: "agent", session: SESSION },
      at: 1,
      facts: {},
    };
    const watched = await ask(
      ["board", "watch", "--after", "6", "--limit", "1"],
      [answerJson(200, { events: [event], next: "7" })],
    );
    expect(watched.stdout).toMatch(/7 .*c0123456789ab +created +agent/);
    expect(watched.stderr).toBe("More: --after 7\n");
    const comment = answerJson(201, { n: 1, author: { by: "owner" }, at: 1, text: "Look." });
    expect((await ask(["board", "comment", ID, "Look."], [comment])).requests).toEqual([
      `POST ${AT}/comments {"text":"Look."}`,
    ]);
    const deleted: Handler = (response) => void response.writeHead(204).end();
    expect(await ask(["board", "delete", ID], [deleted])).toMatchObject({ code: 2, requests: [] });
    expect((await ask(["board", "delete", ID, "--yes"], [deleted])).requests).toEqual([`DELETE ${AT}`]);
  });
});

const SESSION = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
const STATUSES = ["triage", "todo", "scheduled", "ready", "running", "blocked", "review", "done", "archived"];
