// What a chat sees of a turn while it runs: that the agent works, its tool calls as one message that is edited, and the answer as it grows.
// Nothing of it is stored: a crash loses it, and the answer comes by the outbox. Called by channels.ts.
import { readTurnEvents } from "../../core/channels/live/read-turn-events.ts";
import { type Shown, asksPerson, beginShown, showEvent, toProgressText } from "../../core/channels/live/progress.ts";
import type { DeliveryPorts, OpenedClient } from "../../core/channels/delivery/ports.ts";
import type { Result } from "../../core/errors.ts";
import type { ChatAddress } from "../../core/channels/platform.ts";
import type { Clock } from "../../core/ports.ts";
import type { ChannelOptions } from "../../core/schemas/channels/options.ts";
import type { AgentEvent } from "../../core/schemas/entry.ts";
import type { SessionId } from "../../core/schemas/ids.ts";

export interface FollowPorts extends Pick<DeliveryPorts, "findChat" | "openClient" | "toMessages" | "report"> {
  clock: Clock;
  /** `SessionEngine.events`. */
  readEvents(session: SessionId, asked: { turn: number; relay: true }): Promise<Result<ReadableStream<Uint8Array>>>;
}

export interface FollowedTurn {
  chat: string;
  session: SessionId;
  turn: number;
  progress: ChannelOptions["progress"];
}

/** [own] A sign is renewed before it fades. */
const RENEWED_AFTER = 0.8;
/** [own] Platforms that refuse so many changes in a row get no more. */
const MAX_FAILURES = 3;
/** [own] Of one object: each holds an open stream. */
const MAX_FOLLOWED = 50;

export type Follower = ReturnType<typeof createFollower>;

export function createFollower(ports: FollowPorts) {
  const followed = new Map<string, Display>();
  return {
    /** Shows the turn until it ends. Never rejects. Does nothing for a turn that is followed already. */
    async follow(asked: FollowedTurn): Promise<void> {
      const key = toKey(asked);
      if (asked.progress === "off" || followed.has(key) || followed.size >= MAX_FOLLOWED) return;
      const display = createDisplay(ports, asked);
      followed.set(key, display);
      const isShownBy = (turn: number) => followed.has(toKey({ ...asked, turn }));
      try {
        await display.run(isShownBy);
      } catch (error) {
        ports.report("follow", error);
      } finally {
        display.stop();
        // The message of a turn that has ended waits for its answer, which comes by the outbox.
        if (!display.hasMessage() && followed.get(key) === display) followed.delete(key);
        forgetOldest(followed);
      }
    },
    /** The message that shows the turn. Nothing changes it any more. */
    async takeProgress(chat: string, session: SessionId, turn: number): Promise<string | null> {
      const key = toKey({ chat, session, turn });
      const display = followed.get(key);
      followed.delete(key);
      return display ? display.take() : null;
    },
  };
}

function toKey({ chat, session, turn }: Pick<FollowedTurn, "chat" | "session" | "turn">): string {
  return `${chat} ${session} ${turn}`;
}

function forgetOldest(followed: Map<string, Display>): void {
  for (const [key, display] of followed) {
    if (followed.size < MAX_FOLLOWED) return;
    if (display.isOver()) followed.delete(key);
  }
}

type Display = ReturnType<typeof createDisplay>;

function createDisplay(ports: FollowPorts, { chat, session, turn, progress }: FollowedTurn) {
  const { clock } = ports;
  const over = new AbortController();
  let shown: Shown = beginShown();
  let message: string | null = null;
  let written = "";
  /** How many questions were asked. What follows one is shown below it, as another message. */
  let asked = 0;
  let changing: Promise<void> | null = null;
  let signs: Promise<void> | null = null;
  let canType = true;
  let readyAt = -Infinity;
  let failures = 0;

  async function run(isShownBy: (turn: number) => boolean): Promise<void> {
    const place = ports.findChat(chat);
    const opened = place && (await ports.openClient(place.platform));
    if (!opened?.ok) return;
    // Nobody can stop a turn by seeing its progress in a chat.
    const read = await ports.readEvents(session, { turn, relay: true });
    if (!read.ok) return;
    for await (const event of readTurnEvents(read.value, over.signal)) {
      // The message joined a turn that this chat already sees.
      if (event.type === "steer_add" && event.turn === turn && isShownBy(event.into)) break;
      take(event, opened.value);
    }
    over.abort();
    await Promise.all([signs, changing]);
  }

  function take(event: AgentEvent, opened: OpenedClient): void {
    shown = showEvent(shown, event);
    if (asksPerson(event)) {
      asked++;
      message = null;
      written = "";
    }
    if (isWorking() && canType) signs ??= showTyping(opened).finally(() => (signs = null));
    const canEdit = opened.platform.capabilities.edit && opened.client.edit !== undefined;
    if (progress === "typing" || !canEdit || over.signal.aborted) return;
    if (changing === null && toText() !== written) changing = change(opened).finally(() => (changing = null));
  }

  const toText = (): string => toProgressText(shown, progress === "stream");

  /** Brings the message up to date, as often as the platform allows, until it is. Never rejects. */
  async function change({ platform, client }: OpenedClient): Promise<void> {
    while (toText() !== written && failures < MAX_FAILURES) {
      const pause = readyAt - clock.now();
      if (pause > 0) await clock.sleep(pause, over.signal);
      if (over.signal.aborted) return;
      const wanted = toText();
      const [text] = await ports.toMessages(wanted, platform);
      const to = ports.findChat(chat)?.address;
      if (text === undefined || !to || over.signal.aborted) return;
      const before = asked;
      const done = await write(client, to, text).catch((error: unknown) => {
        ports.report("progress", error);
        return false;
      });
      readyAt = Math.max(readyAt, clock.now() + platform.limits.editEveryMs);
      failures = done ? 0 : failures + 1;
      if (done && asked === before) written = wanted;
    }
  }

  async function write(client: OpenedClient["client"], to: ChatAddress, text: string): Promise<boolean> {
    const before = asked;
    const sent = message === null ? await client.send(to, { text }) : await client.edit!(to, message, { text });
    if (sent.ok) {
      if (asked !== before) return true;
      if (sent.value?.id) message = sent.value.id;
      // A message without an id cannot be edited, so there are no more of them.
      else if (message === null) failures = MAX_FAILURES;
      return true;
    }
    const { retryAfterMs } = sent.failure.facts ?? {};
    if (typeof retryAfterMs === "number") readyAt = clock.now() + retryAfterMs;
    return false;
  }

  const isWorking = (): boolean => shown.state === "working" && !over.signal.aborted;

  /** While the turn works, and not while it waits for a person. Never rejects. */
  async function showTyping({ platform: { limits }, client }: OpenedClient): Promise<void> {
    canType = client.typing !== undefined && limits.typingMs > 0;
    while (canType && isWorking()) {
      const to = ports.findChat(chat)?.address;
      const typed = to && (await client.typing!(to).catch(() => null)); // a sign is not worth a report
      canType = typed?.ok === true;
      await clock.sleep(limits.typingMs * RENEWED_AFTER, over.signal);
    }
  }

  return {
    run,
    stop: (): void => over.abort(),
    isOver: (): boolean => over.signal.aborted,
    hasMessage: (): boolean => message !== null,
    async take(): Promise<string | null> {
      over.abort();
      await changing;
      return message;
    },
  };
}
