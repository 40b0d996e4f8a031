// The pure parts of the page's board: what may be done with a card, the order and the filters of the columns, the sentences of events.
import { describe, expect, it } from "vitest";
import { operationsBetween, stepsFrom } from "../../core/board/transitions.ts";
import {
  type CardLine,
  MOVES,
  STATUSES,
  asksOf,
  filterCards,
  fromAssigneeKey,
  listAssignees,
  stepsOf,
  targetsOf,
  toAssigneeKey,
  toColumns,
} from "../../dashboard/board/cards.ts";
import { describeEvent } from "../../dashboard/board/drawer/events.ts";
import { fromLocalTime, toLocalTime } from "../../dashboard/board/local-time.ts";
import { nameOfAddress } from "../../dashboard/board/drawer/name-of-address.ts";

function makeCard(id: string, more: Partial<CardLine> = {}): CardLine {
  return {
    ...{ v: 2, id, title: `Card ${id}`, author: { by: "owner" }, assignee: null, status: "ready", priority: 0 },
    ...{ label: null, createdAt: 1, changedAt: 1, startedAt: null, endedAt: null, notBefore: null, run: null },
    ...{ claimUntil: null, block: null, reason: null, summary: null, failures: 0, recurrences: 0 },
    ...{ limits: {}, skills: [] },
    ...more,
  };
}

describe("the moves of a card", () => {
  it("are those of the board's own table", () => {
    const table = Object.fromEntries(
      STATUSES.map((from) => [
        from,
        Object.fromEntries(
          STATUSES.flatMap((to) => {
            const [first] = operationsBetween(from, to);
            return first === undefined ? [] : [[to, first]];
          }),
        ),
      ]),
    );
    expect(MOVES).toEqual(table);
  });

  it("offer each step of the board's own table, whatever the status", () => {
    for (const status of STATUSES) {
      const expected = stepsFrom(status).filter((step) => step !== "update");
      expect([status, stepsOf(status).toSorted()]).toEqual([status, expected.toSorted()]);
    }
  });

  it("leave out triage after a block, where only the board itself puts a card", () => {
    expect(targetsOf("running")).toEqual(["todo", "ready", "blocked", "review", "done", "archived"]);
    expect(targetsOf("archived")).toEqual([]);
  });

  it("ask for a word where the board needs one, and before what stops a session or cannot be taken back", () => {
    const asks = (status: CardLine["status"], to: CardLine["status"], assignee: CardLine["assignee"] = null) =>
      asksOf({ status, assignee }, to);
    expect(asks("ready", "blocked")).toBe("block");
    expect(asks("ready", "scheduled")).toBe("time");
    expect(asks("review", "ready")).toBe("reason");
    expect(asks("ready", "done")).toBeNull();
    expect(asks("done", "archived")).toBe("confirm");
    expect(asks("running", "ready")).toBe("confirm");
    expect(asks("running", "done", { person: "Ada" })).toBeNull();
  });
});

describe("columns", () => {
  it("show what is worked on next first, and of what is done the newest", () => {
    const cards = [
      makeCard("c1", { createdAt: 1 }),
      makeCard("c2", { createdAt: 2, priority: 3 }),
      makeCard("c3", { createdAt: 0 }),
      makeCard("c4", { status: "done", endedAt: 5 }),
      makeCard("c5", { status: "done", endedAt: 9 }),
      makeCard("c6", { status: "scheduled", notBefore: 20 }),
      makeCard("c7", { status: "scheduled", notBefore: 10 }),
    ];
    const ids = Object.entries(toColumns(cards)).flatMap(([status, column]) =>
      column.length === 0 ? [] : [[status, column.map(({ id }) => id)]],
    );
    expect(Object.fromEntries(ids)).toEqual({
      ready: ["c2", "c3", "c1"],
      done: ["c5", "c4"],
      scheduled: ["c7", "c6"],
    });
  });

  it("are filtered by all words of the search, in any case, and by the assignee", () => {
    const cards = [
      makeCard("c1", { title: "Write the DOCS", assignee: { role: "writer" } }),
      makeCard("c2", { title: "Write code", label: "docs", assignee: { person: "Ada" } }),
      makeCard("c3", { title: "Nothing" }),
    ];
    const find = (words: string, assignee: string | null = null) =>
      filterCards(cards, { words, assignee }).map(({ id }) => id);
    expect(find("docs write")).toEqual(["c1", "c2"]);
    expect(find("C3")).toEqual(["c3"]);
    expect(find("", "person:Ada")).toEqual(["c2"]);
    expect(find("", "")).toEqual(["c3"]);
    expect(listAssignees(cards)).toEqual(["", "role:writer", "person:Ada"]);
  });

  it("have assignees as texts that are read back as they were", () => {
    for (const assignee of [null, { role: "a" }, { person: "role:x" }]) {
      expect(fromAssigneeKey(toAssigneeKey(assignee))).toEqual(assignee);
    }
  });
});

describe("an event", () => {
  it("is a sentence with what it says most", () => {
    expect(describeEvent({ kind: "blocked", facts: { from: "ready", kind: "needs_input", reason: "no key" } })).toBe(
      "blocked it: no key",
    );
    expect(describeEvent({ kind: "unblocked", facts: { to: "todo" } })).toBe("unblocked it: To do");
    expect(describeEvent({ kind: "edited", facts: { fields: ["title", "body"] } })).toBe(
      "changed the card: title, body",
    );
  });

  it("of a kind that the page does not know is shown as it is, and never too long", () => {
    expect(describeEvent({ kind: "was_moved", facts: {} })).toBe("was moved");
    expect(describeEvent({ kind: "blocked", facts: { reason: "x".repeat(9_000) } }).length).toBeLessThan(250);
  });
});

describe("fields of a form", () => {
  it("have a time in the reader's zone that is read back as it was", () => {
    const at = new Date(2026, 1, 3, 4, 5).getTime();
    expect(toLocalTime(at)).toBe("2026-02-03T04:05");
    expect(fromLocalTime(toLocalTime(at))).toBe(at);
  });

  it("name a fetched file by the last part of its address, without what a name may not have", () => {
    expect(nameOfAddress("https://example.com/a/report%20one.pdf?x=1")).toBe("report one.pdf");
    expect(nameOfAddress("https://example.com/a/..%2F..%2Fetc")).toBe("..-..-etc");
    expect(nameOfAddress("https://example.com/")).toBe("example.com");
    expect(nameOfAddress("https://example.com/%E0%A4%A")).toBe("%E0%A4%A");
    expect(nameOfAddress("")).toBe("file");
  });
});
