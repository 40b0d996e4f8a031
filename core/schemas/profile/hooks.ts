// Outbound webhooks: what a profile's owner subscribes to, the events themselves, and the log of deliveries. Section `hooks` of the
// profile's settings, by the hook's id. Forms only.
import * as z from "zod";
import { SessionId } from "../ids.ts";

export const HookId = z.string().regex(/^hook_[0-9a-z]{12}$/, "a hook's id is hook_ and 12 characters");
export type HookId = z.infer<typeof HookId>;

export const HookEventType = z.enum([
  "turn.ended",
  "review.learned",
  "pending.created",
  "approval.needed",
  "skill.withdrawn",
  "budget.reached",
  "webhook.answered",
  "job.ended",
  "card.waiting",
  "card.done",
]);
export type HookEventType = z.infer<typeof HookEventType>;

/** [own] A longer URL is a mistake. */
const MAX_URL_CHARS = 2_000;
const MAX_DESCRIPTION_CHARS = 200;

export const CreateHook = z.strictObject({
  url: z.string().min(1).max(MAX_URL_CHARS).meta({ description: "Where events are posted: https" }),
  events: z.array(HookEventType).min(1).meta({ description: "The types of event that are sent" }),
  description: z.string().max(MAX_DESCRIPTION_CHARS).optional().meta({ description: "For the owner" }),
});
export type CreateHook = z.infer<typeof CreateHook>;

/** As stored. Secrets are sealed. */
export const HookSetting = z.object({
  v: z.literal(1),
  url: z.string(),
  /** Types of a newer version are left out. */
  events: z.array(z.string()).transform((types) => types.filter((type) => HookEventType.safeParse(type).success)),
  description: z.string().optional(),
  createdAt: z.int(),
  secret: z.string(),
  /** After a rotation: signs as well until then. */
  previous: z.object({ secret: z.string(), until: z.int() }).optional(),
  /** Since when nothing is sent, because the receiver answered 410. */
  disabledAt: z.int().optional(),
});
export type HookSetting = z.infer<typeof HookSetting>;

export const HookInfo = z.object({
  id: HookId,
  url: z.string(),
  events: z.array(HookEventType),
  description: z.string().optional(),
  createdAt: z.int(),
  disabledAt: z.int().optional().meta({ description: "Since when nothing is sent: the receiver answered 410" }),
});
export type HookInfo = z.infer<typeof HookInfo>;

export const CreatedHook = HookInfo.extend({ secret: z.string() });
export type CreatedHook = z.infer<typeof CreatedHook>;
export const HookList = z.object({ hooks: z.array(HookInfo), next: z.string().optional() });

export const RotatedSecret = z.object({
  secret: z.string(),
  previousUntil: z.int().meta({ description: "Until then deliveries are signed with the former secret too" }),
});
export type RotatedSecret = z.infer<typeof RotatedSecret>;

/** What the header `webhook-id` has. The same event has the same id, wherever and however often it is reported. */
const HookEventId = z.string().regex(/^msg_[0-9a-f]{32}$/);
/** `ping`: sent on request only, to one hook. */
const SentType = z.enum([...HookEventType.options, "ping"]);

/** An event on its way from where it happened to the profile's Account, which sends it. */
export interface HookEvent {
  id: z.infer<typeof HookEventId>;
  type: z.infer<typeof SentType>;
  /** When it happened, in milliseconds since 1970. */
  at: number;
  session?: SessionId;
  /** The request's body, JSON: the same bytes in every attempt. */
  body: string;
}

/** One request to the receiver. `status`: of its reply; `error`: why there was none. */
export const DeliveryAttempt = z.object({
  at: z.int(),
  ms: z.int(),
  status: z.int().optional(),
  error: z.string().optional(),
});
export type DeliveryAttempt = z.infer<typeof DeliveryAttempt>;

/** What came of a `ping`. */
export const HookTest = DeliveryAttempt.extend({ event: HookEventId });
export type HookTest = z.infer<typeof HookTest>;

/** `delivered`: a 2xx reply. `failed`: given up. */
export const DeliveryState = z.enum(["waiting", "delivered", "failed"]);
export type DeliveryState = z.infer<typeof DeliveryState>;

export const HookDelivery = z.object({
  event: HookEventId,
  type: SentType,
  session: SessionId.optional(),
  at: z.int(),
  state: DeliveryState,
  /** Why it was given up without a further attempt: `queue_full`, `hook_disabled`. */
  error: z.string().optional(),
  attempts: z.array(DeliveryAttempt),
  /** When the next attempt is due, while it waits. */
  dueAt: z.int().optional(),
});
export type HookDelivery = z.infer<typeof HookDelivery>;

export const HookDeliveryList = z.object({ deliveries: z.array(HookDelivery), next: z.string().optional() });
