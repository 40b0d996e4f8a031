// Deliveries over node:sqlite with a fake clock and a platform that answers as a test says. `reboot`: a new object over the same rows.
import { OUT_SCHEMA, createDelivery } from "../../../core/channels/delivery/deliver.ts";
import type { DeliveryPorts, OpenedClient } from "../../../core/channels/delivery/ports.ts";
import type { ChatAddress, OutMessage, PlatformCapabilities, PlatformLimits } from "../../../core/channels/platform.ts";
import { type Result, err, ok } from "../../../core/errors.ts";
import type { SessionDelivery } from "../../../core/schemas/channels/delivery.ts";
import { SessionId } from "../../../core/schemas/ids.ts";
import { createNodeSql } from "../bindings/node-sql.ts";
import { createTestClock } from "../clock.ts";

export const SESSION = SessionId.parse("01JGTT0000000000000000SESS");

/** What a client was asked to do. */
export type Call =
  | { does: "send"; chat: string; text: string; replyTo?: string; buttons?: string[]; withContext?: true }
  | { does: "edit"; chat: string; id: string; text: string; buttons?: string[] }
  | { does: "file"; chat: string; name: string; mediaType: string; bytes: number };

type Answer = Result<{ id: string | null }>;

export interface RigOptions {
  capabilities?: Partial<PlatformCapabilities>;
  limits?: Partial<PlatformLimits>;
  chats?: Record<string, Partial<ChatAddress>>;
}

export function createDeliveryRig({ capabilities = {}, limits = {}, chats: given = { c1: {} } }: RigOptions = {}) {
  const clock = createTestClock();
  const sql = createNodeSql();
  for (const statement of OUT_SCHEMA) sql.run(statement);
  const calls: Call[] = [];
  const failures: ({ code: string; message: string } | null)[] = [];
  const reports: string[] = [];
  const files = new Map<string, Uint8Array>();
  const chats = new Map(Object.entries(given));
  const world = {
    /** Decides every call; by default all is well. */
    answer: (call: Call): Answer | Promise<Answer> => ok({ id: `m${calls.indexOf(call) + 1}` }),
    channel: ok(null) as Result<null>,
    isSessionDown: false,
    progress: null as string | null,
  };
  let tokens = 0;
  const opened: OpenedClient = {
    platform: {
      name: "telegram",
      title: "Telegram",
      flavour: "plain",
      capabilities: {
        ...{ edit: true, typing: true, buttons: 8, filesIn: true, filesOut: true, groups: true },
        ...{ threads: true, replies: true, redactsIds: true },
        ...capabilities,
      },
      limits: { text: 200, textUnit: "utf16", fileBytes: 1_000, editEveryMs: 0, typingMs: 5_000, ...limits },
    },
    client: {
      send: (to, message) =>
        act({ does: "send", chat: to.id, ...toSaid(message), ...(to.context && { withContext: true }) }),
      edit: async (to, id, message) => {
        const edited = await act({ does: "edit", chat: to.id, id, ...toSaid(message) });
        return edited.ok ? ok(null) : edited;
      },
      sendFile: (to, { name, mediaType, bytes }) =>
        act({ does: "file", chat: to.id, name, mediaType, bytes: bytes.length }),
    },
  };

  async function act(call: Call): Promise<Answer> {
    calls.push(call);
    return world.answer(call);
  }

  const ports = (): DeliveryPorts => ({
    sql,
    clock,
    random: () => 0,
    newToken: () => `token${++tokens}`,
    findChat: (chat) =>
      chats.has(chat) ? { platform: "telegram", address: { id: chat, kind: "direct", ...chats.get(chat) } } : null,
    openClient: async () => (world.channel.ok ? ok(opened) : world.channel),
    async readFile(_session, path) {
      if (world.isSessionDown) throw new Error("the session does not answer");
      const bytes = files.get(path);
      return bytes ? ok(bytes) : err("file_not_found", "no such file");
    },
    // Paragraphs, each a message.
    toMessages: async (markdown) => markdown.split("\n\n").filter((text) => text.trim() !== ""),
    takeProgress: async () => world.progress,
    onAttempt: (_platform, failure) => failures.push(failure),
    report: (what, error) => reports.push(`${what}: ${String(error)}`),
  });
  let delivery = createDelivery(ports());
  return {
    ...{ clock, sql, calls, failures, reports, files, chats, world },
    get delivery() {
      return delivery;
    },
    reboot: () => (delivery = createDelivery(ports())),
    list: () => delivery.list({ limit: 100 }).page.toReversed(),
    texts: () => calls.flatMap((call) => ("text" in call ? [call.text] : [])),
  };
}

function toSaid({ text, replyTo, buttons }: OutMessage) {
  return {
    text,
    ...(replyTo !== undefined && { replyTo }),
    ...(buttons && { buttons: buttons.map(({ label, token }) => `${label} ${token}`) }),
  };
}

export function answer(text: string, more: Partial<SessionDelivery> = {}): SessionDelivery {
  const origin = { chat: "c1", message: "7" };
  return { v: 1, id: `d-${text}`, origin, session: SESSION, turn: 1, at: 0, kind: "answer", text, ...more };
}

export function question(more: Partial<SessionDelivery> = {}): SessionDelivery {
  const asked = { for: "approval" as const, id: "a".repeat(20), until: 0, summary: "rm x", reasons: [], covers: "rm" };
  return answer("May I?", { id: "q1", kind: "question", question: asked, ...more });
}

export function settled(text: string, more: Partial<SessionDelivery> = {}): SessionDelivery {
  return answer(text, { id: "s1", kind: "settled", settles: "a".repeat(20), ...more });
}
