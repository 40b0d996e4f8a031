// Sends the answer to a webhook, or its own text, where its route says: to a chat of a channel, or to the profile's outbound webhooks. Nothing
// is kept here: who takes it stores it, and the id makes a repetition harmless. Called by webhooks.ts.
import { isSilence } from "../../core/channels/delivery/silence.ts";
import { type Failure, type Result, err, ok } from "../../core/errors.ts";
import { toHookEvent } from "../../core/hooks/hook-event.ts";
import { clip } from "../../core/clip.ts";
import type { SessionDelivery } from "../../core/schemas/channels/delivery.ts";
import type { JsonObject } from "../../core/schemas/entry.ts";
import { toTurnId } from "../../core/schemas/ids.ts";
import type { WebhookTarget } from "../../core/schemas/webhooks/webhook.ts";
import type { WaitingDelivery } from "../../core/webhooks/delivery-rows.ts";
import type { AccountStub, ChannelsStub } from "./context.ts";

export interface Targets {
  profile: string;
  account: Pick<AccountStub, "takeHookEvent">;
  channels: ChannelsStub;
}

/** [own] Of an answer in the body of an outbound webhook. */
const MAX_TEXT_CHARS = 20_000;

/** Failures: `no_target`; those of `ChannelsStub`. `isFinal`: trying again does not help. Rejects if an object cannot be reached. */
export async function sendText(
  targets: Targets,
  target: WebhookTarget | null,
  row: WaitingDelivery,
): Promise<Result<null>> {
  const about = `${row.route} ${row.id} ${row.at}`;
  const data = { webhook: row.route, delivery: row.id, text: clip(row.text, MAX_TEXT_CHARS) };
  return send(targets, target, { about, at: row.at, text: row.text, data });
}

/** What a turn says. A question cannot be answered there, and a settled one says nothing new. */
export async function sendAnswer(
  targets: Targets,
  target: WebhookTarget | null,
  { name, delivery }: { name: string; delivery: SessionDelivery },
): Promise<Result<null>> {
  const { id, session, turn, at, kind, text, origin } = delivery;
  if (kind === "question" || kind === "settled" || isSilence(text)) return ok(null);
  const data = {
    ...{ webhook: name, ...(origin.message !== undefined && { delivery: origin.message }) },
    ...{ turn: toTurnId(session, turn), kind, text: clip(text, MAX_TEXT_CHARS) },
  };
  return send(targets, target, { about: id, at, session, text, data });
}

async function send(
  { profile, account, channels }: Targets,
  target: WebhookTarget | null,
  words: { about: string; at: number; session?: string; text: string; data: JsonObject },
): Promise<Result<null>> {
  const { about, at, session, text, data } = words;
  if (!target) return final({ code: "no_target", message: "The webhook delivers to nothing any more." });
  const said = { id: `webhook:${about}`, text };
  switch (target.to) {
    case "hooks":
      await account.takeHookEvent(toHookEvent({ profile, type: "webhook.answered", about, at, session, data }));
      return ok(null);
    case "home": {
      const sent = await channels.sendHome(target.platform ?? null, said);
      return sent.ok ? ok(null) : final(sent.failure);
    }
    case "chat": {
      const sent = await channels.say({ ...said, chat: target.chat });
      return sent.ok ? ok(null) : final(sent.failure);
    }
  }
}

function final({ code, message }: Pick<Failure, "code" | "message">): Result<never> {
  return err(code, message, { isFinal: true });
}
