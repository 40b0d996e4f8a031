// The webhooks of a profile under wrong settings of the operator: nothing is lost, and nothing is repeated without end.
import { expect, test } from "vitest";
import { toHookEvent } from "../../core/hooks/hook-event.ts";
import { createAccountHooks } from "../../durable-objects/account-hooks.ts";
import { createAccountSettings } from "../../durable-objects/account-settings.ts";
import { createNodeSql } from "../support/bindings/node-sql.ts";

test("events wait for a minute at a time while the operator's settings are wrong, and can be deleted", async () => {
  const sql = createNodeSql();
  const settings = createAccountSettings(sql);
  const profile = "0123456789abcdefghjkmnpqrs";
  const session = "01J00000000000000000000000";
  const hook = { v: 1 as const, url: "https://a.example.com/", events: ["turn.ended"], createdAt: 0, secret: "sealed" };
  settings.put("hooks", "hook_000000000001", hook);
  const env = { TALARIA_SETTINGS: '{"turn":7}', TALARIA_SEALING_KEY: "a sealing key of this test" };
  const hooks = createAccountHooks({ sql, env, profile, settings, exists: () => true });
  const of = { profile, session, type: "turn.ended" as const, at: Date.now(), data: {} };
  expect(hooks.take(toHookEvent({ ...of, about: "1" }))).toBe(true);
  expect(hooks.nextDue()).toBeLessThanOrEqual(Date.now());
  await hooks.sendDue();
  expect(hooks.nextDue()! - Date.now()).toBeGreaterThan(50_000);
  expect(hooks.deliveries("hook_000000000001")).toMatchObject({ value: [{ state: "waiting", attempts: [] }] });
  hooks.forgetSession(session);
  expect(hooks.nextDue()).toBeNull();
});
