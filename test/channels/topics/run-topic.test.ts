// /topic: by name, and by the platform's threads.
import { describe, expect, it } from "vitest";
import { toSessionKey, toTopicBase } from "../../../core/channels/session-key.ts";
import { TOPIC_SCHEMA, createTopicRows, toBaseKey } from "../../../core/channels/topics/topic-rows.ts";
import { err, ok } from "../../../core/errors.ts";
import { createNodeSql } from "../../support/bindings/node-sql.ts";
import { createFakeChat, noThread } from "../../support/channels/fake-chat.ts";

const BASE = "telegram:direct:chat=D1";

describe("topics by name", () => {
  it("are created, switched, renamed, listed and ended", async () => {
    const { run, scene } = createFakeChat();
    expect(await run("/topic")).toMatch(/^This chat has no topics\./);
    expect(await run("/topic create Taxes")).toMatch(/in the topic \*\*Taxes\*\* now/);
    const first = scene.topics.current(BASE);
    expect(await run("/topic create Garden")).toMatch(/Garden/);
    const second = scene.topics.current(BASE);
    expect(await run("/topic list")).toMatch(/^1\. main\n2\. Taxes\n3\. Garden \(here\)\n/);
    expect(await run("/topic switch taxes")).toBe("This chat is in the topic **Taxes** now.");
    expect(scene.topics.current(BASE)).toBe(first);
    expect(await run("/topic rename Taxes 2026")).toBe("The topic is **Taxes 2026** now.");
    expect(await run("/topic 3")).toBe("This chat is in the topic **Garden** now.");
    expect(scene.topics.current(BASE)).toBe(second);
    expect(await run("/topic switch main")).toMatch(/main session/);
    expect(scene.topics.current(BASE)).toBeUndefined();
    expect(await run("/topic off")).toMatch(/2 topics stays/);
    expect(await run("/topic off")).toBe("This chat has no topics.");
  });

  it("are sessions of their own", async () => {
    const event = { chat: { id: "D1", kind: "direct" as const }, from: { id: "U1", name: "", isBot: false } };
    const cuts = { groupSessions: "person" as const, threadSessions: "shared" as const };
    const { run, scene } = createFakeChat();
    const keyNow = () => toSessionKey("telegram", event, cuts, { topic: scene.topics.current(BASE) }).key;
    const main = keyNow();
    await run("/topic create a");
    const a = keyNow();
    await run("/topic create b");
    const b = keyNow();
    expect(new Set([main, a, b]).size).toBe(3);
    expect([toBaseKey(a), toBaseKey(main)]).toEqual([BASE, BASE]);
    await run("/topic switch a");
    expect(keyNow()).toBe(a);
  });

  it("never continue the session of a topic that was ended", () => {
    const sql = createNodeSql();
    sql.run(TOPIC_SCHEMA);
    const rows = createTopicRows(sql);
    const old = rows.add(BASE, { name: "a", thread: null }, 5);
    rows.off(BASE);
    expect(rows.add(BASE, { name: "a", thread: null }, 6)).not.toBe(old);
    expect(rows.add(BASE, { name: "b", thread: null }, 6)).toBe(7);
  });

  it("say what is wrong", async () => {
    const { run } = createFakeChat();
    expect(await run("/topic create")).toBe("Write it as /topic create NAME.");
    expect(await run("/topic create Main")).toMatch(/called main/);
    expect(await run("/topic rename x")).toMatch(/main session/);
    expect(await run("/topic switch x")).toMatch(/no topic x/);
    await run("/topic create x");
    expect(await run("/topic create X")).toMatch(/a topic \*\*x\*\* already/);
    await run("/topic create y");
    expect(await run("/topic rename x")).toMatch(/already/);
  });

  it("are at most fifty, and their names are one short line without marks", async () => {
    const { run, scene } = createFakeChat();
    await run(`/topic create *a*\n${"b".repeat(200)}`);
    expect(scene.topics.list(BASE)[0]!.name).toHaveLength(100);
    expect(await run("/topic")).toContain("2. \\*a\\* bbb");
    for (let n = 2; n <= 50; n += 1) await run(`/topic create t${n}`);
    expect(await run("/topic create more")).toBe("A chat has at most 50 topics. /topic off ends them.");
  });

  it("are forgotten with the platform, and are those of one chat", () => {
    const sql = createNodeSql();
    sql.run(TOPIC_SCHEMA);
    const rows = createTopicRows(sql);
    for (const base of [BASE, "telegram:direct:chat=D2", "slack:direct:chat=D1"]) {
      rows.enter(base, rows.add(base, { name: "a", thread: null }, 1));
    }
    rows.enter(BASE, null);
    expect([rows.current(BASE), rows.current("telegram:direct:chat=D2")]).toEqual([undefined, 1]);
    rows.forget("telegram");
    expect([rows.list(BASE), rows.list("slack:direct:chat=D1").length]).toEqual([[], 1]);
  });
});

describe("topics by threads", () => {
  it("open one, and the chat stays where it is", async () => {
    const { run, scene } = createFakeChat({}, { openThread: async () => ok({ thread: "42" }) });
    expect(await run("/topic create Taxes")).toMatch(/opened the thread \*\*Taxes\*\*/);
    expect(scene.topics.list(BASE)).toEqual([{ n: 1_000, name: "Taxes", thread: "42", current: false }]);
    expect(await run("/topic switch Taxes")).toBe("**Taxes** is a thread. Write there.");
    expect(await run("/topic")).toContain("2. Taxes (a thread)");
  });

  it("are names where the platform opens none here, and it says so", async () => {
    const { run, scene } = createFakeChat({}, { openThread: async () => noThread });
    expect(await run("/topic create Taxes")).toContain("No thread could be opened here");
    expect(scene.topics.list(BASE)[0]).toMatchObject({ name: "Taxes", thread: null, current: true });
  });

  it("are renamed from inside, on the platform first", async () => {
    const renamed: string[] = [];
    const answers = [err("channel_unreachable", "No answer."), ok(null)];
    const renameThread = async (title: string) => (renamed.push(title), answers.shift()!);
    const chat = { id: "D1", kind: "direct" as const, thread: "42" };
    const { run, scene } = createFakeChat({ chat }, { renameThread });
    scene.topics.add(BASE, { name: "Taxes", thread: "42" }, 1);
    expect(await run("/topic rename 2026")).toBe("The thread could not be renamed: No answer.");
    expect(scene.topics.list(BASE)[0]!.name).toBe("Taxes");
    expect(await run("/topic rename 2026")).toBe("The topic is **2026** now.");
    expect([scene.topics.list(BASE)[0]!.name, renamed]).toEqual(["2026", ["2026", "2026"]]);
    expect(await run("/topic")).toContain("2. 2026 (here)");
    expect(await run("/topic switch main")).toMatch(/Switch topics in the chat itself/);
  });

  it("belong to the chat that they are in", () => {
    const from = { id: "U1", name: "", isBot: false };
    const chat = { id: "C1", kind: "group" as const, scope: "T1" };
    const cuts = { groupSessions: "person" as const, threadSessions: "shared" as const };
    const base = toTopicBase("slack", { chat, from }, cuts);
    expect(toTopicBase("slack", { chat: { ...chat, thread: "7" }, from }, cuts)).toBe(base);
    expect(toTopicBase("slack", { chat, from }, cuts, { hideId: () => "x" })).toBe(
      "slack:group:team=T1:chat=C1:user=x",
    );
  });
});
