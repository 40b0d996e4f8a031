// What goes out to chats: takes what sessions and the channel itself say, sends it in order within a chat and several chats side by side, and
// keeps the ledger. Called by durable-objects/channels, which owns the alarm. Everything but sending is synchronous.
import { type Result, err, messageOf, ok } from "../../errors.ts";
import type { ChatPlace, PlatformName } from "../../schemas/channels/inbound.ts";
import type { SessionDelivery } from "../../schemas/channels/delivery.ts";
import type { DeliveryInfo } from "../../schemas/channels/ledger.ts";
import type { SessionId } from "../../schemas/ids.ts";
import type { Body, DeliveryRow } from "./delivery-row.ts";
import { DELIVERY_SCHEMA, type NewDelivery, createDeliveryRows } from "./delivery-rows.ts";
import { HOME_SCHEMA, createHomeRows } from "./home-rows.ts";
import type { DeliveryPorts, Pressed, Said } from "./ports.ts";
import { type Desk, LEASE_MS, isOpen, postpone } from "./desk.ts";
import { sendNext } from "./send-next.ts";
import { isSilence } from "./silence.ts";

export type { DeliveryChat, DeliveryPorts, OpenedClient, Pressed, Said } from "./ports.ts";
export type { ButtonMeaning } from "./meaning.ts";

/** The tables that must exist. */
export const OUT_SCHEMA: readonly string[] = [...DELIVERY_SCHEMA, ...HOME_SCHEMA];

/** [own] Chats at once: each may hold a file of several MB. */
const MAX_CHATS = 6;
/** What the person reads who wrote to the agent directly, and whom it did not want to answer. */
const NOTHING_SAID = "(The agent has nothing to say to this.)";

export type Delivery = ReturnType<typeof createDelivery>;

export function createDelivery(ports: DeliveryPorts) {
  const { sql, clock, report } = ports;
  const rows = createDeliveryRows(sql);
  const homes = createHomeRows(sql);
  const desk: Desk = { ports, rows, misses: new Map(), lastAt: new Map() };
  const running = new Map<string, Promise<void>>();
  let isAwake = false;

  /** `null`: its channel was removed. Nothing of it is kept, not even in the ledger. */
  function add(given: Omit<NewDelivery, "platform">): DeliveryRow | null {
    const chat = ports.findChat(given.chat);
    return chat && rows.add({ ...given, platform: chat.platform }, clock.now());
  }

  /** Sends what the chat has, until it waits or nothing is left. Never rejects. */
  async function run(chat: string): Promise<void> {
    for (let goesOn = true; goesOn;) goesOn = await step(chat);
  }

  async function step(chat: string): Promise<boolean> {
    const head = rows.heads().find((one) => one.chat === chat);
    if (!head || head.due === null || head.due > clock.now()) return false;
    try {
      const row = rows.find(head.n);
      return isOpen(row) ? await sendNext(desk, row) : false;
    } catch (error) {
      // The session does not answer, or a newer version wrote the row.
      report("delivery", error);
      return postponeRow(head.n, messageOf(error));
    }
  }

  function postponeRow(n: number, message: string): boolean {
    try {
      return postpone(desk, rows.find(n)!, { code: "delivery_postponed", message });
    } catch {
      // The row cannot be read: only its time is changed.
      rows.postpone(n, clock.now() + LEASE_MS);
      return false;
    }
  }

  function close(target: DeliveryRow | null, { id, text }: { id: string; text: string }): void {
    if (!target) return;
    rows.dropButtons(target.n);
    const { n, chat, session, turn } = target;
    if (isOpen(target) && target.sent === 0 && !target.flying) {
      rows.write({ ...target, state: "dropped", body: null, due: null, ended: clock.now() });
    } else if (target.body) {
      add({ id, chat, session, turn, kind: "settled", question: null, body: { v: 1, text, target: n } });
    }
  }

  function takeNew(delivery: SessionDelivery): void {
    const { id, origin, session, turn, kind, text, question, settles } = delivery;
    const { chat } = origin;
    if (kind === "settled") return close(settles ? rows.ofQuestion(session, chat, settles) : null, { id, text });
    const place = ports.findChat(chat)?.address;
    const isSilent = kind === "answer" && isSilence(text);
    const isOwed = isSilent && place?.kind === "direct" && origin.message !== undefined;
    const body: Body = {
      ...{ v: 1, text: isOwed ? NOTHING_SAID : text },
      ...(question && { question }),
      // In a direct chat there is one person, who knows what was asked.
      ...(origin.message !== undefined && place?.kind === "group" && { replyTo: origin.message }),
    };
    const row = add({ id, chat, session, turn, kind, question: question?.id ?? null, body });
    if (row && isSilent && !isOwed) rows.write({ ...row, state: "silent", body: null, due: null, ended: clock.now() });
  }

  function say({ id, chat, text, buttons, replyTo }: Said): void {
    sql.transaction(() => {
      if (rows.has(id)) return;
      const body: Body = {
        v: 1,
        text,
        ...(buttons && { buttons: [...buttons] }),
        ...(replyTo !== undefined && { replyTo }),
      };
      add({ id, chat, session: null, turn: null, kind: "said", question: null, body });
    });
  }

  return {
    /** Stores what a session hands over. The same id again changes nothing, nor does a chat that is gone. The caller sends what is due. */
    take(delivery: SessionDelivery): void {
      sql.transaction(() => {
        if (!rows.has(delivery.id)) takeNew(delivery);
      });
    },
    /** Words of the channel itself, after what the chat already waits for. The same id again changes nothing, nor does a chat that is gone. */
    say,
    /** To the platform's home chat; `null`: to the one that was set last. Failure: `channel_no_home`. */
    sendHome(platform: PlatformName | null, { id, text }: { id: string; text: string }): Result<{ chat: string }> {
      const chat = homes.find(platform);
      if (chat === null || !ports.findChat(chat)) {
        return err("channel_no_home", "There is no home chat. Send /sethome in the chat that is to be it.");
      }
      say({ id, chat, text });
      return ok({ chat });
    },
    /** `null`: the platform has none any more. */
    setHome: (platform: PlatformName, chat: string | null): void => homes.set(platform, chat, clock.now()),
    home: (platform: PlatformName | null): string | null => homes.find(platform),

    /**
     * Sends what is due. Settles when nothing that was begun still runs; called again meanwhile, it begins what is new. Never rejects.
     * Set the alarm for `nextDue` before and after.
     */
    async sendDue(): Promise<void> {
      if (!isAwake) rows.wakeFlying(clock.now());
      isAwake = true;
      /** Their rows could not even be postponed: the alarm tries again. */
      const broken = new Set<string>();
      for (;;) {
        for (const { chat, due } of rows.heads()) {
          if (running.size >= MAX_CHATS) break;
          if (running.has(chat) || broken.has(chat) || due === null || due > clock.now()) continue;
          const work = run(chat)
            .catch((error: unknown) => {
              broken.add(chat);
              report("delivery", error);
            })
            .finally(() => running.delete(chat));
          running.set(chat, work);
        }
        if (running.size === 0) return;
        await Promise.race(running.values());
      }
    },
    /** When something is to be sent next; `null`: nothing waits. */
    nextDue(): number | null {
      const now = clock.now();
      const dues = rows.heads().flatMap(({ chat, due }) => {
        if (due === null) return [];
        return running.has(chat) ? [Math.max(due, now + LEASE_MS)] : [due];
      });
      return dues.length === 0 ? null : Math.min(...dues);
    },

    /** The person has written in the chat: what the platform held back at this place is due, whichever of its sessions said it. */
    reopen(chat: string): void {
      const written = ports.findChat(chat);
      for (const held of rows.heldChats()) {
        const other = ports.findChat(held);
        if (!written || other?.platform !== written.platform) continue;
        if (isSamePlace(other.address, written.address)) rows.reopen(held, clock.now());
      }
    },
    /** The channel was set up again: what waited for that is due. */
    wake: (platform: PlatformName): void => rows.wakePlatform(platform, clock.now()),
    /** What a button means that was pressed at `place`; one of another chat means nothing. */
    press(token: string, platform: PlatformName, place: ChatPlace): Pressed {
      const found = rows.button(token);
      if (!found) return { state: "over" };
      const chat = ports.findChat(found.row.chat);
      if (chat?.platform !== platform || !isSamePlace(chat.address, place)) return { state: "over" };
      return { state: "open", means: found.means, chat: found.row.chat };
    },
    /** Takes away the buttons of what the channel said as `said`, and adds `text` to it. The same id again changes nothing. */
    closeButtons(said: string, { id, text }: { id: string; text: string }): void {
      sql.transaction(() => {
        if (!rows.has(id)) close(rows.findId(said), { id, text });
      });
    },

    /** The ledger, newest first. */
    list: (asked: { limit: number; before?: number | undefined }): { page: DeliveryInfo[]; next?: number } =>
      rows.list(asked),
    forgetSession: (session: SessionId): void => rows.forgetSession(session),
    forgetPlatform(platform: PlatformName): void {
      rows.forgetPlatform(platform);
      homes.forget(platform);
    },
    /** Removes what is older than the ledger keeps. */
    tidy: (): void => rows.tidy(clock.now()),
  };
}

function isSamePlace(a: ChatPlace, b: ChatPlace): boolean {
  return a.id === b.id && (a.scope ?? "") === (b.scope ?? "");
}
