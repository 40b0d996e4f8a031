// Delegated sessions inside workerd: the Session object's own port begins a child over RPC, its alarm drives it, its report comes back, and
// the whole tree is deleted with its root.
import { runInDurableObject } from "cloudflare:test";
import { expect, it, vi } from "vitest";
import type { ChildReport, ChildTask } from "../../../core/schemas/sessions/delegation.ts";
import type { Session } from "../../../durable-objects/session/session.ts";
import { START_MS, ask, createProfile, createSession, env } from "../../api/api-calls.ts";

it(
  "a child begins once, ends by its alarm, takes no messages, and is deleted with its parent",
  async () => {
    const { profile, key } = await createProfile();
    const parent = await createSession(key);
    const child = `${parent.slice(0, 10)}ZZZZZZZZZZZZZZZZ`;
    const task: ChildTask = {
      ...{ parent, title: "Greet.", text: "Task:\nGreet.", source: "own", learning: "on", depth: 1 },
      ...{ budget: { tokens: 0, usdMicros: 0 }, createdAt: 1 },
    };
    const account = env.ACCOUNT.getByName(profile);
    const listed = { session: child, title: task.title, learning: task.learning, createdAt: 1 };
    const register = () => account.registerSession({ ...listed, kind: "delegated", parent });
    expect(await register()).toBe(true);
    const stub = env.SESSION.getByName(`${profile}/${child}`) as unknown as Pick<Session, "beginChild" | "lookAtChild">;
    expect(await stub.beginChild(task)).toEqual({ ok: true, value: null });
    expect(await stub.beginChild(task)).toEqual({ ok: true, value: null });
    const report = await vi.waitFor(async () => {
      const seen = (await stub.lookAtChild()) as { report?: ChildReport } | null;
      expect(seen?.report).toBeDefined();
      return seen!.report!;
    }, 20_000);
    expect(report).toMatchObject({ state: "done", reason: "answer", source: "own" });

    expect((await ask("GET", "/v1/sessions", { key })).body).toMatchObject({ sessions: [{ session: parent }] });
    expect((await ask("GET", "/v1/sessions?kind=delegated", { key })).body).toEqual({
      sessions: [{ ...listed, kind: "delegated", parent }],
    });
    expect((await ask("GET", `/v1/sessions/${child}`, { key })).body).toMatchObject({
      ...{ kind: "delegated", parent, state: "idle", turns: [{ n: 1, state: "done" }] },
    });
    expect(await ask("POST", `/v1/sessions/${child}/messages`, { key, body: { text: "Hello" } })).toMatchObject({
      ...{ status: 409, body: { code: "session_delegated" } },
    });
    expect((await ask("GET", `/v1/sessions/${parent}/children`, { key })).body).toEqual({ children: [] });

    expect((await ask("DELETE", `/v1/sessions/${parent}`, { key })).status).toBe(204);
    expect((await ask("GET", `/v1/sessions/${child}`, { key })).status).toBe(404);
    expect((await ask("GET", "/v1/sessions?kind=all", { key })).body).toEqual({ sessions: [] });
    expect(await register()).toBe(false);
    expect(await stub.beginChild(task)).toMatchObject({ ok: false, failure: { code: "session_gone" } });
    const rows = await runInDurableObject(account, (_, { storage }) =>
      storage.sql.exec("SELECT id FROM session_kind").toArray(),
    );
    expect(rows).toEqual([]);
  },
  START_MS,
);
