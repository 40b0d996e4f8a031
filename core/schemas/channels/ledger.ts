// The ledger of what goes out to chats, as `GET /v1/deliveries` shows it. Forms only.
import * as z from "zod";
import { PlatformName } from "./inbound.ts";

/**
 * `waiting`: it is sent as soon as it may be. `held`: the platform lets the bot speak again once the person has written. `sent`: all of it.
 * `silent`: the agent chose to say nothing. `dropped`: it was not needed any more. `failed`: given up; `error` says why.
 */
export const DeliveryState = z.enum(["waiting", "held", "sent", "silent", "dropped", "failed"]);
export type DeliveryState = z.infer<typeof DeliveryState>;

export const DeliveryError = z.object({ code: z.string(), message: z.string() });
export type DeliveryError = z.infer<typeof DeliveryError>;

export const DeliveryInfo = z.object({
  id: z.string(),
  chat: z.string(),
  platform: PlatformName,
  session: z.string().optional(),
  turn: z.int().optional().meta({ description: "The turn's number in its session" }),
  kind: z.enum(["answer", "notice", "question", "settled", "said"]).meta({
    description: "`said`: words of the channel itself, such as the answer to a command",
  }),
  state: DeliveryState,
  at: z.int().meta({ description: "When it was handed over" }),
  endedAt: z.int().optional(),
  dueAt: z.int().optional().meta({ description: "When it is tried next" }),
  attempts: z.int().meta({ description: "Attempts at the message that is being sent, or was sent last" }),
  messages: z.int().meta({ description: "Messages and files that it has; 0 before the first attempt" }),
  sent: z.int().meta({ description: "How many of them the platform has taken" }),
  duplicate: z.literal(true).optional().meta({ description: "One of them may have arrived twice, and says so" }),
  error: DeliveryError.optional(),
});
export type DeliveryInfo = z.infer<typeof DeliveryInfo>;
