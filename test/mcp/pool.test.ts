import { expect, test } from "vitest";
import { err, ok } from "../../core/errors.ts";
import { printOfConfig } from "../../core/mcp/entries.ts";
import { createMcpPool } from "../../core/mcp/pool.ts";
import type { McpConnection, McpDialer, McpEntry } from "../../core/mcp/ports.ts";
import { readListing } from "../../core/mcp/read-listing.ts";
import { createTestClock } from "../support/clock.ts";
import { createFakeServer } from "../support/mcp/fake-server.ts";
import { toListedTool } from "../support/mcp/json-server.ts";

const SIGNAL = new AbortController().signal;

function setUp(discovered?: object) {
  const clock = createTestClock();
  const fake = createFakeServer([toListedTool("act")], () => clock.now());
  const offers = { tools: true, resources: false, prompts: false };
  const listing = readListing(
    { tools: fake.server.tools },
    { transport: "http", discovered: discovered as never, offers },
    {},
  )!;
  const catalog = { v: 1 as const, of: printOfConfig(fake.config), checkedAt: 0, listing, failure: null };
  const entry: McpEntry = { name: "fake", config: fake.config, catalog, access: null };
  const open = (dialer: McpDialer) => createMcpPool({ dialer, clock, store: async () => undefined });
  const request = {
    method: "tools/call" as const,
    params: { name: "act", arguments: {} },
    timeoutMs: 1_000,
    tool: listing.tools[0]!,
  };
  return { ...fake, clock, entry, open, request };
}

test("calls at the same time share one connection and one listing", async () => {
  const { dialer, server, entry, open, request } = setUp();
  const pool = open(dialer);
  const answers = await Promise.all([1, 2, 3].map(() => pool.ask(entry, request, SIGNAL)));
  expect(answers.every((answer) => answer.ok)).toBe(true);
  expect([server.opened, server.asked]).toEqual([1, ["tools/list", "tools/call", "tools/call", "tools/call"]]);
  await pool.end();
  await pool.end();
  expect(server.closed).toBe(1);
});

test("a server that could not be reached is tried again after 30 seconds, not before", async () => {
  const { dialer, server, entry, open, request, clock } = setUp();
  const pool = open(dialer);
  server.state = "down";
  await pool.ask(entry, request, SIGNAL);
  clock.advance(29_000);
  await pool.ask(entry, request, SIGNAL);
  expect(server.opened).toBe(1);
  server.state = "up";
  clock.advance(1_000);
  expect((await pool.ask(entry, request, SIGNAL)).ok).toBe(true);
});

test("a server that was replaced by one of an older protocol is connected to without what it once said", async () => {
  const { dialer, entry, open, request } = setUp({ supportedVersions: ["2026-07-28"] });
  const opened: boolean[] = [];
  const pool = open({
    async open(asked, options) {
      const isOld = asked.catalog?.listing?.discovered === undefined;
      opened.push(isOld);
      if (isOld) return dialer.open(asked, options);
      const refusing: Partial<McpConnection> = {
        ask: async () => err("mcp_unreachable", "The server answered with HTTP status 400."),
        close: async () => undefined,
      };
      return ok(refusing as McpConnection);
    },
  });
  expect((await pool.ask(entry, request, SIGNAL)).ok).toBe(true);
  expect(opened).toEqual([false, true]);
});

test("a call that fails takes no other call of its connection with it; the next one has a connection of its own", async () => {
  const { dialer, server, entry, open, request } = setUp();
  const late = Promise.withResolvers<string>();
  const pool = open({
    async open(asked, options) {
      const opened = await dialer.open(asked, options);
      if (!opened.ok) return opened;
      const lost = Promise.withResolvers<void>();
      const { ask, close } = opened.value;
      return ok({
        ...opened.value,
        async ask(method, params, limits) {
          if (params.name === "huge") return err("mcp_answer_too_large", "The server's answer was too large.");
          if (params.name !== "slow") return ask(method, params, limits);
          return Promise.race([
            late.promise.then(ok),
            lost.promise.then(() => err("mcp_lost", "The connection broke.")),
          ]);
        },
        async close() {
          lost.resolve();
          await close();
        },
      } as McpConnection);
    },
  });
  const call = (name: string) => pool.ask(entry, { ...request, params: { name, arguments: {} } }, SIGNAL);
  const slow = call("slow");
  expect(await call("huge")).toMatchObject({ failure: { code: "mcp_answer_too_large" } });
  expect(await call("act")).toMatchObject({ ok: true });
  expect([server.opened, server.closed]).toEqual([2, 0]);
  late.resolve("late");
  expect(await slow).toEqual(ok("late"));
  expect(server.closed).toBe(1);
  await pool.end();
  expect(server.closed).toBe(2);
});
