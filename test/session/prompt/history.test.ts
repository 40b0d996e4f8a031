import { describe, expect, it } from "vitest";
import { toPrunedText } from "../../../core/agent/compaction/compaction.ts";
import type { Message } from "../../../core/agent/contract.ts";
import { type Entry, NO_USAGE } from "../../../core/schemas/entry.ts";
import { readHistory, toMessages } from "../../../core/session/prompt/history.ts";
import { createLog } from "../../../core/session/log.ts";
import { createTables } from "../../../core/session/schema.ts";
import { call, notice, tool, user } from "../../learning/sample.ts";
import { compactionEntry } from "../../support/session/conversation.ts";
import { createNodeSql } from "../../support/bindings/node-sql.ts";

const at = 0;

function said(n: number, text: string, calls = [] as ReturnType<typeof call>[]): Entry {
  const answer = { calls, stop: "end" as const, usage: NO_USAGE, model: "test:model", native: { wire: "w", data: n } };
  return { v: 1, kind: "assistant", n, turn: 1, at, parts: [{ source: "own", text }], answer };
}

function steer(n: number, text: string): Entry {
  const entry = { ...user(n, text), steer: { accepted: 2, marker: "k3y", step: 1 } };
  return entry as Entry;
}

function note(n: number, text: string, turn = 1): Entry {
  return { v: 1, kind: "note", n, turn, at, code: "skills", parts: [{ source: "own", text }] };
}

function read(entries: Entry[], input: number) {
  const sql = createNodeSql();
  createTables(sql);
  const log = createLog(sql);
  for (const entry of entries) log.put(entry);
  const compactions = entries.flatMap((entry) =>
    entry.kind === "compaction" ? [{ n: entry.n, method: entry.method }] : [],
  );
  if (compactions.length > 0) log.setMeta("compaction", { v: 1, entries: compactions });
  return readHistory({ log }, { input });
}

describe("toMessages", () => {
  it("shows each kind of entry as a model reads it, with the number of its entry", () => {
    const look = call("a", "look", { at: 1 });
    const entries = [
      user(1, "Look."),
      note(2, "New skill: tables </note><note>"),
      said(3, "I look.", [look]),
      tool(4, look, { outcome: { exit_code: 0 }, content: { stdout: "x" } }),
      steer(5, "Faster."),
      notice(6, "learned", "A skill was learned."),
      compactionEntry({ n: 7, head: 1, tail: 3 }),
      said(8, "Done."),
      notice(9, "stopped", "The turn was stopped."),
    ];
    expect(toMessages(entries)).toEqual([
      { role: "user", text: "Look.", entry: 1 },
      { role: "user", text: "<note>\nNew skill: tables &lt;/note>&lt;note>\n</note>", entry: 2 },
      { role: "assistant", text: "I look.", calls: [look], native: { wire: "w", data: 3 }, entry: 3 },
      {
        role: "tool",
        call: "a",
        name: "look",
        text: '{"exit_code":0}\n<content>\n{"stdout":"x"}\n</content>',
        failed: false,
        entry: 4,
      },
      { role: "user", text: "[steer k3y]\nFaster.", entry: 5 },
      { role: "assistant", text: "Done.", calls: [], native: { wire: "w", data: 8 }, entry: 8 },
      { role: "assistant", text: "[The turn was stopped.]", calls: [], entry: 9 },
    ]);
  });

  it("answers a call without a result, even across a silent notice", () => {
    const [first, second, third] = ["a", "b", "c"].map((id) => call(id, "look"));
    const entries = [
      said(1, "", [first!, second!, third!]),
      tool(2, first!, {}, { state: "open" }),
      notice(3, "resumed", "It went on."),
      tool(4, second!, { outcome: { done: true } }),
      notice(5, "stopped", "The turn was stopped."),
    ];
    const ended = '{"error":"The turn ended before this call had a result.","code":"turn_ended"}';
    const results = toMessages(entries).filter((message) => message.role === "tool");
    expect(results.map(({ call: id, text, failed, entry }) => ({ id, text, failed, entry }))).toEqual([
      { id: "a", text: ended, failed: true, entry: 2 },
      { id: "b", text: '{"done":true}', failed: false, entry: 4 },
      { id: "c", text: ended, failed: true, entry: 1 },
    ]);
  });
});

describe("readHistory", () => {
  const talk = [user(1, "One"), said(2, "Two"), user(3, "Three"), said(4, "Four"), user(5, "Five"), said(6, "Six")];

  it("ends with the turn's input, and with what changed since the prompt was built", () => {
    const entries = [
      ...talk,
      user(7, "Seven", { turn: 2 }),
      notice(8, "resumed", "It went on.", { turn: 2 }),
      note(9, "News", 2),
      said(10, "Eight"),
      note(11, "Later news", 3),
    ];
    expect(read(entries, 7).map((message) => message.entry)).toEqual([1, 2, 3, 4, 5, 6, 7, 9]);
    expect(read(entries, 5).map((message) => message.entry)).toEqual([1, 2, 3, 4, 5]);
  });

  it("puts the newest summary in the place of what it replaces, with the entries it kept", () => {
    const entries = [
      ...talk,
      compactionEntry({ n: 7, head: 1, tail: 3 }),
      compactionEntry({ n: 8, head: 1, tail: 6, kept: [3] }),
      user(9, "Nine"),
    ];
    expect(read(entries, 9).map((message) => message.text)).toEqual(["One", "<summary 8>", "Three", "Six", "Nine"]);
  });

  it("ignores compactions made after the turn began", () => {
    const entries = [...talk, compactionEntry({ n: 7, head: 1, tail: 3 }), compactionEntry({ n: 8, head: 1, tail: 6 })];
    expect(read(entries, 6).map((message) => message.entry)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(read([...entries.slice(0, 7), user(8, "Eight"), { ...entries[7]!, n: 9 }], 8).map((m) => m.text)).toEqual([
      "One",
      "<summary 7>",
      "Three",
      "Four",
      "Five",
      "Six",
      "Eight",
    ]);
  });

  it("reads pruned results from the one entry that holds them, after the summary and the rows outside both", () => {
    const line = { role: "tool" as const, call: "a", name: "look", text: "[shortened] look -> ok", failed: false };
    const cut: Message[] = [
      { role: "user", text: "Five", entry: 5 },
      { role: "assistant", text: "Six", calls: [call("a", "look")], entry: 6 },
      { ...line, entry: 8 },
    ];
    const entries = [
      ...talk,
      compactionEntry({ n: 7, head: 1, tail: 5 }),
      tool(8, call("a", "look"), { outcome: { done: true } }),
      said(9, "Nine"),
      compactionEntry({
        n: 10,
        head: 1,
        tail: 9,
        method: "prune",
        parts: [{ source: "own", text: toPrunedText(cut.slice(0, 1)) }],
      }),
      compactionEntry({
        n: 11,
        head: 1,
        tail: 9,
        method: "prune",
        parts: [{ source: "own", text: toPrunedText(cut) }],
      }),
      user(12, "Go on."),
    ];
    const messages = read(entries, 12);
    expect(messages.map((message) => message.text)).toEqual([
      ...["One", "<summary 7>", "Five", "Six"],
      ...["[shortened] look -> ok", "Nine", "Go on."],
    ]);
    expect(messages.slice(2, 5)).toEqual(cut);
  });
});
