// The objects of a profile's channels, webhooks, jobs, goals and boards, as a check-up reads them. Called by run-doctor.ts.
import { type BoardCallee, type BoardCalls, toBoardCalls } from "../../../core/board/board-calls.ts";
import type { Agenda } from "../../../durable-objects/agenda/agenda.ts";
import type { Channels } from "../../../durable-objects/channels/channels.ts";
import { readPublicUrl } from "../../../durable-objects/channels/open-channel.ts";
import type { Webhooks } from "../../../durable-objects/webhooks/webhooks.ts";
import { type Env, parseEnvSettings } from "../env.ts";
import type { Reachability } from "./check-channels.ts";

/** The platform's types turn an `unknown` in an answer into `never`. The values cross unchanged. */
export function openChannels(env: Env, profile: string): Pick<Channels, "list"> {
  return env.CHANNELS.getByName(profile) as unknown as Pick<Channels, "list">;
}

export function openWebhooks(env: Env, profile: string): Pick<Webhooks, "list" | "listDeliveries"> {
  return env.WEBHOOKS.getByName(profile) as unknown as Pick<Webhooks, "list" | "listDeliveries">;
}

export function openAgenda(env: Env, profile: string): Pick<Agenda, "checkUp"> {
  return env.AGENDA.getByName(profile) as unknown as Pick<Agenda, "checkUp">;
}

export function openBoard(env: Env, profile: string, board: string): BoardCalls {
  return toBoardCalls(env.BOARD.getByName(`${profile}/${board}`) as unknown as BoardCallee);
}

export function readReachability(env: Env): Reachability {
  return { publicUrl: readPublicUrl(env, parseEnvSettings(env)), polls: Boolean(env.TALARIA_POLL_CHANNELS) };
}
