// Two bots in one chat.
import { beforeEach, expect, it } from "vitest";
import { LOOP_SCHEMA, createLoopGuard } from "../../core/channels/loop-guard.ts";
import type { Sql } from "../../core/ports.ts";
import { createNodeSql } from "../support/bindings/node-sql.ts";

const SECOND = 1_000;
const START = 1_700_000_000_000;
let sql: Sql;
beforeEach(() => {
  sql = createNodeSql();
  sql.run(LOOP_SCHEMA);
});

/** Opens the guard for each message: what it knows is in the table. */
const admit = (atSeconds: number, chat: { id: string; scope?: string } = { id: "C1" }) =>
  createLoopGuard(sql).admit("slack", chat, START + atSeconds * SECOND);

it("twenty messages in 300 s are answered, and the next begins 600 s of silence", () => {
  const first = Array.from({ length: 20 }, (_, n) => admit(n * 10));
  expect(first.every(Boolean)).toBe(true);
  expect([admit(200), admit(201), admit(799)]).toEqual([false, false, false]);
  expect(admit(800)).toBe(true);
});

it("messages that are slower than that are answered for ever", () => {
  const answered = Array.from({ length: 100 }, (_, n) => admit(n * 15));
  expect(answered.every(Boolean)).toBe(true);
});

it("chats and platforms count apart", () => {
  for (let n = 0; n < 21; n += 1) admit(n);
  expect([admit(21), admit(21, { id: "C2" }), admit(21, { id: "C1", scope: "T2" })]).toEqual([false, true, true]);
  expect(createLoopGuard(sql).admit("discord", { id: "C1" }, START + 21 * SECOND)).toBe(true);
});

it("a chat leaves the table when its count no longer matters, and stays while it is silent", () => {
  const rows = () => sql.run("SELECT chat FROM channel_loop").length;
  admit(0, { id: "C2" });
  for (let n = 0; n < 21; n += 1) admit(n);
  createLoopGuard(sql).tidy(START + 299 * SECOND);
  expect(rows()).toBe(2);
  createLoopGuard(sql).tidy(START + 400 * SECOND);
  expect(rows()).toBe(1);
  createLoopGuard(sql).tidy(START + 700 * SECOND);
  expect(rows()).toBe(0);
});
