// Routes of inbound webhooks: what a profile's owner sets, what is stored, what the API shows. Forms only. A stored form: for a change,
// raise `v`.
import * as z from "zod";
import { PLATFORM_NAMES } from "../channels/inbound.ts";
import { SessionId, TurnId } from "../ids.ts";
import { Filter } from "./filter.ts";

/** Part of the address `/hooks/{profile}/{name}`. */
export const WebhookName = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/, "1 to 64 characters: a-z, 0-9, and - inside");
export type WebhookName = z.infer<typeof WebhookName>;

export const WebhookScheme = z.enum(["github", "gitlab", "standard", "hmac", "bearer"]);
export type WebhookScheme = z.infer<typeof WebhookScheme>;

const HeaderName = z
  .string()
  .max(100)
  .regex(/^[A-Za-z0-9-]+$/, "the name of a header");

/** How a sender of the scheme `hmac` signs. The defaults: hexadecimal HMAC-SHA256 of `<timestamp>.<body>`. */
export const HmacForm = z.strictObject({
  header: HeaderName.default("x-webhook-signature-v2").meta({ description: "The header with the signature" }),
  hash: z.enum(["sha256", "sha512", "sha1"]).default("sha256"),
  encoding: z.enum(["hex", "base64"]).default("hex"),
  prefix: z
    .string()
    .max(20)
    .default("")
    .meta({ description: "What precedes the signature in the header, such as `sha256=`" }),
  timestampHeader: HeaderName.nullable().default("x-webhook-timestamp").meta({
    description: "The header with the time of signing, in seconds since 1970. `null`: the time is not signed",
  }),
  signed: z
    .string()
    .max(100)
    .optional()
    .meta({ description: "What is signed. Default: `{timestamp}.{body}`, or `{body}` where the time is not signed" }),
});
export type HmacForm = z.infer<typeof HmacForm>;

/** [own] Longer templates are documents. */
const MAX_TEMPLATE_CHARS = 20_000;
const MAX_KEY_CHARS = 500;
/** [hermes] */
const COALESCE_S = 30;
const MAX_COALESCE_S = 300;
/** [own] The published vectors of the schemes have secrets of 15 characters and more. */
const MIN_SECRET_CHARS = 8;

const KeyTemplate = z.string().min(1).max(MAX_KEY_CHARS);

/** Where the agent's answer goes, or with `deliverOnly` the text of the template. */
export const WebhookTarget = z.union([
  z.strictObject({ to: z.literal("home"), platform: z.enum(PLATFORM_NAMES).optional() }),
  z.strictObject({ to: z.literal("chat"), chat: z.string().min(1).max(100) }),
  z.strictObject({ to: z.literal("hooks") }),
]);
export type WebhookTarget = z.infer<typeof WebhookTarget>;

const fields = {
  description: z.string().max(200).optional().meta({ description: "For the owner" }),
  prompt: z
    .string()
    .min(1)
    .max(MAX_TEMPLATE_CHARS)
    .optional()
    .meta({
      description:
        "What the agent reads. `{a.b}` is replaced by that value of the payload (objects: at most 2,000 characters of JSON), `{__raw__}` by " +
        "the payload itself (at most 4,000 characters). Default: a line that names the route, and the payload",
    }),
  events: z
    .array(z.string().min(1).max(100))
    .max(50)
    .default([])
    .meta({ description: "Types of event that are taken, such as `push` or `issues.opened`. Empty: all" }),
  filters: z.array(Filter).max(20).default([]).meta({ description: "Conditions that an event must all meet" }),
  coalesce: z
    .strictObject({
      key: KeyTemplate,
      seconds: z.int().min(1).max(MAX_COALESCE_S).default(COALESCE_S),
    })
    .nullable()
    .default(null)
    .meta({
      description:
        `Events with the same \`key\` (a template) become one message: \`seconds\` (${COALESCE_S}) after the last of them, at most ` +
        `${MAX_COALESCE_S} seconds after the first`,
    }),
  session: z
    .union([z.enum(["route", "new"]), z.strictObject({ key: KeyTemplate })])
    .default("route")
    .meta({
      description: "`route`: one session for all events. `new`: one for each. `key`: one for each value of a template",
    }),
  deliver: WebhookTarget.nullable()
    .default(null)
    .meta({
      description:
        "Where the answer goes: `home`, the home chat of a platform or of the channel that was used last; `chat`, a chat of " +
        "`GET /v1/channels/{platform}/chats`; `hooks`, the outbound webhooks that want `webhook.answered`. `null`: it stays in the session",
    }),
  deliverOnly: z
    .boolean()
    .default(false)
    .meta({ description: "Sends the text of the template to `deliver`, without an agent" }),
};

export const CreateWebhook = z.strictObject({
  name: WebhookName,
  scheme: WebhookScheme.meta({
    description:
      "How the sender proves itself. `github`: X-Hub-Signature-256. `gitlab`: X-Gitlab-Token. `standard`: Standard Webhooks. `hmac`: as " +
      "`hmac` says. `bearer`: Authorization: Bearer",
  }),
  secret: z
    .string()
    .min(MIN_SECRET_CHARS)
    .max(500)
    .regex(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/, "printable ASCII characters, without spaces at the ends")
    .optional()
    .meta({ description: "The secret that the sender has made. Absent: a new one" }),
  hmac: HmacForm.optional().meta({ description: "Only for the scheme `hmac`" }),
  ...fields,
});
export type CreateWebhook = z.infer<typeof CreateWebhook>;

/** Absent fields stay as they are. */
export const ChangeWebhook = z.strictObject({
  hmac: HmacForm.optional(),
  description: fields.description,
  prompt: fields.prompt,
  events: fields.events.unwrap().optional(),
  filters: fields.filters.unwrap().optional(),
  coalesce: fields.coalesce.unwrap().optional(),
  session: fields.session.unwrap().optional(),
  deliver: fields.deliver.unwrap().optional(),
  deliverOnly: fields.deliverOnly.unwrap().optional(),
});
export type ChangeWebhook = z.infer<typeof ChangeWebhook>;

/** As stored. Secrets are sealed. */
export const StoredWebhook = z.object({
  v: z.literal(1),
  scheme: WebhookScheme,
  secret: z.string(),
  /** After a rotation: it is accepted too, until then. */
  previous: z.object({ secret: z.string(), until: z.int() }).optional(),
  hmac: HmacForm.optional(),
  ...fields,
  createdAt: z.int(),
});
export type StoredWebhook = z.infer<typeof StoredWebhook>;

export const WebhookInfo = z.object({
  name: WebhookName,
  scheme: WebhookScheme,
  hmac: HmacForm.optional(),
  ...fields,
  createdAt: z.int(),
  path: z.string().meta({ description: "Events are posted to this path of the deployment's public address" }),
  url: z
    .string()
    .nullable()
    .meta({ description: "The whole address; `null` if the operator has set no public address" }),
});
export type WebhookInfo = z.infer<typeof WebhookInfo>;

export const CreatedWebhook = WebhookInfo.extend({ secret: z.string() });
export type CreatedWebhook = z.infer<typeof CreatedWebhook>;
export const WebhookList = z.object({ webhooks: z.array(WebhookInfo), next: z.string().optional() });

export const RotateWebhook = z.strictObject({ secret: CreateWebhook.shape.secret });
export type RotateWebhook = z.infer<typeof RotateWebhook>;
export const RotatedWebhook = z.object({
  secret: z.string(),
  previousUntil: z.int().meta({ description: "Until then the former secret is accepted too" }),
});
export type RotatedWebhook = z.infer<typeof RotatedWebhook>;

/**
 * `waiting`: stored, and not yet posted to its session. `posted`: a message of the session. `joined`: a part of the message of `into`.
 * `delivered`: sent on without an agent. `ignored`: of a type that is not taken, or filtered out. `failed`: given up.
 */
export const InboundState = z.enum(["waiting", "posted", "joined", "delivered", "ignored", "failed"]);
export type InboundState = z.infer<typeof InboundState>;

export const InboundDelivery = z.object({
  id: z.string().meta({ description: "The sender's id of the delivery, or the SHA-256 of what was signed" }),
  at: z.int(),
  event: z.string().optional().meta({ description: "Its type, if the sender names one" }),
  state: InboundState,
  session: SessionId.optional(),
  turn: TurnId.optional(),
  into: z.string().optional().meta({ description: "The delivery whose message it is a part of" }),
  reason: z.string().optional().meta({ description: "Why it was ignored or failed, or what the last attempt met" }),
});
export type InboundDelivery = z.infer<typeof InboundDelivery>;
export const InboundDeliveryList = z.object({ deliveries: z.array(InboundDelivery), next: z.string().optional() });

/** What the sender is told. */
export const WebhookAnswer = z.object({
  status: z.enum(["accepted", "duplicate", "ignored"]),
  delivery: z.string(),
  reason: z.string().optional(),
});
export type WebhookAnswer = z.infer<typeof WebhookAnswer>;
