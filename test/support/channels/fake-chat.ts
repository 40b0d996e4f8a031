// A chat with commands, over ports of a test that note what was asked.
import { runChannelCommand } from "../../../core/channels/commands/run-channel-command.ts";
import type { ChannelCommandPorts } from "../../../core/channels/commands/command-ports.ts";
import type { CommandScene } from "../../../core/channels/commands/scene.ts";
import { TOPIC_SCHEMA, createTopicRows } from "../../../core/channels/topics/topic-rows.ts";
import { err, ok } from "../../../core/errors.ts";
import type { SessionDetail, SessionInfo } from "../../../core/schemas/api.ts";
import { createNodeSql } from "../bindings/node-sql.ts";

export const SESSIONS = ["01JD0000000000000000000001", "01JD0000000000000000000002", "01JD0000000000000000000003"];

export const info = (n: number, title = ""): SessionInfo => ({
  ...{ session: SESSIONS[n - 1]!, title, learning: "on", createdAt: Date.UTC(2026, 10, n) },
});

export function detail(over: Partial<SessionDetail> = {}): SessionDetail {
  const usage = { calls: 2, tokens: 1_200, usd: 0.01 };
  return { ...info(1), backend: "workspace", state: "idle", turns: [], reviewing: [], usage, ...over };
}

export interface FakeChat {
  scene: CommandScene;
  /** Calls that change something. */
  calls: unknown[][];
  /** What the person reads, or how else it ended. */
  run(text: string, over?: { addressed?: boolean }): Promise<string>;
}

export function createFakeChat(
  over: Partial<Omit<CommandScene, "ports">> = {},
  own: Partial<ChannelCommandPorts> = {},
): FakeChat {
  const sql = createNodeSql();
  sql.run(TOPIC_SCHEMA);
  const calls: unknown[][] = [];
  const note = (...call: unknown[]) => void calls.push(call);
  const ports: ChannelCommandPorts = {
    session: async () => detail(),
    begin: async () => (note("begin"), ok(null)),
    resume: async (session) => (note("resume", session), ok(info(SESSIONS.indexOf(session) + 1))),
    branch: async (turn) => (note("branch", turn), ok(info(2))),
    stop: async () => (note("stop"), 1),
    post: async (text, busy) => (note("post", text, ...(busy ? [busy] : [])), ok(null)),
    listSessions: async (of) => (of === "chat" ? [info(1)] : [info(2, "Taxes"), info(1)]),
    usage: async () => ({
      ...{ calls: 9, tokens: 9_000, input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0, usd: 1 },
      sources: {},
    }),
    search: async () => [],
    listSkills: async () => [{ name: "reading-tables", description: "Read *tables*", state: "trial" }],
    readSkill: async (name) => (name === "reading-tables" ? "# Read\n```sh\nls\n```" : null),
    listMemory: async () => [{ store: "user", text: "likes [tea](http://x)" }],
    learning: async () => {
      throw new Error("not asked in these tests");
    },
    setHome: async () => note("home"),
    setListening: async (listen) => note("listen", listen),
    ...own,
  };
  const scene: CommandScene = {
    ...{ platform: "Telegram", from: { id: "U1", name: "Ada" }, role: "owner", chat: { id: "D1", kind: "direct" } },
    ...{
      base: "telegram:direct:chat=D1",
      shared: false,
      listening: "mention",
      topics: createTopicRows(sql),
      now: 1_000,
    },
    ...over,
    ports,
  };
  return {
    scene,
    calls,
    async run(text, { addressed = true } = {}) {
      const outcome = await runChannelCommand(scene, { text, addressed });
      return outcome.kind === "said" ? outcome.text : `(${outcome.kind})`;
    },
  };
}

export const noThread = err("channel_refused", "The chat has no topics.");
