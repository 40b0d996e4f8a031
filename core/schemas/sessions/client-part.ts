// What a compatible endpoint adds to a message: the client's guidance, its own tools, earlier messages, the form of the answer. Parsed
// by the doors (workers/api/doors), stored by the session until the message's turn has ended. Forms only.
import * as z from "zod";
import { ClientCall, JsonObject } from "../entry.ts";
import type { SessionId } from "../ids.ts";
import { byteLength } from "../learning/digest.ts";
import { GivenImage } from "../media/image.ts";
import { Effort } from "../settings.ts";
import { isDeeper } from "./json-depth.ts";

/** [OpenAI] tools of a request. */
const MAX_TOOLS = 128;
/** All of a client's tools as JSON. One row holds them with the guidance and the schema of the answer (`FIXED.rowBytes`). */
const MAX_TOOLS_BYTES = 400_000;
const MAX_DESCRIPTION_CHARS = 20_000;
/** Of one JSON Schema. OpenAI's structured outputs allow ten levels; a level of ours is an object or a list, so one property takes two. */
const MAX_SCHEMA_CHARS = 100_000;
const MAX_SCHEMA_DEPTH = 64;
const MAX_GUIDANCE_CHARS = 200_000;
/** The session cuts older ones off, see core/session/client/. */
const MAX_HISTORY_MESSAGES = 5_000;
const MAX_CALLS = 128;
const MAX_ID_CHARS = 200;

/** OpenAI's and Anthropic's form; Anthropic's is longer. */
const ClientToolName = z
  .string()
  .regex(/^[a-zA-Z0-9_-]{1,128}$/, "a tool's name has 1 to 128 letters, digits, underscores or hyphens");

const ClientSchema = JsonObject.refine((schema) => !isDeeper(schema, MAX_SCHEMA_DEPTH), {
  error: `a JSON Schema has at most ${MAX_SCHEMA_DEPTH} levels`,
}).refine((schema) => JSON.stringify(schema).length <= MAX_SCHEMA_CHARS, {
  error: `a JSON Schema has at most ${MAX_SCHEMA_CHARS} characters`,
});

/** A tool that the client itself runs. `parameters`: a JSON Schema of an object. */
export const ClientTool = z.object({
  name: ClientToolName,
  description: z.string().max(MAX_DESCRIPTION_CHARS),
  parameters: ClientSchema,
});
export type ClientTool = z.infer<typeof ClientTool>;

/** What the client's tool returned. `failed`: it could not do it. */
export const ClientResult = z.object({
  callId: z.string().min(1).max(MAX_ID_CHARS),
  text: z.string(),
  failed: z.boolean().optional(),
});
export type ClientResult = z.infer<typeof ClientResult>;

/** A message of a conversation as a compatible endpoint receives it. A call's arguments are whatever the client says they were. */
export const DoorMessage = z.discriminatedUnion("role", [
  z.object({ role: z.literal("user"), text: z.string(), images: z.array(GivenImage).max(100).default([]) }),
  z.object({ role: z.literal("assistant"), text: z.string(), calls: z.array(ClientCall).max(MAX_CALLS).default([]) }),
  z.object({ role: z.literal("tool"), callId: z.string(), text: z.string() }),
]);
export type DoorMessage = z.infer<typeof DoorMessage>;

/** `none`: the client's tools are not offered. `required`, `{name}`: for the turn's first model call; later calls choose freely. */
export const ClientToolChoice = z.union([z.enum(["auto", "none", "required"]), z.object({ name: ClientToolName })]);
export type ClientToolChoice = z.infer<typeof ClientToolChoice>;

/** The form of the final answer. */
export const AnswerFormat = z.discriminatedUnion("type", [
  z.object({ type: z.literal("json_object") }),
  z.object({
    type: z.literal("json_schema"),
    name: z
      .string()
      .regex(/^[a-zA-Z0-9_-]{1,64}$/)
      .optional(),
    schema: ClientSchema,
    /** Passed on to OpenAI. The answer is checked in any case. */
    strict: z.boolean().optional(),
  }),
]);
export type AnswerFormat = z.infer<typeof AnswerFormat>;

/** Ranges are those of the widest provider; a model that refuses a field is asked without it. */
export const Sampling = z.object({
  /** Output tokens of one model call. The operator's `turn.maxOutputTokens` is the upper limit. */
  maxTokens: z.int().min(1).optional(),
  temperature: z.number().min(0).max(2).optional(),
  topP: z.number().min(0).max(1).optional(),
  stop: z.array(z.string().min(1).max(500)).max(16).optional(),
});
export type Sampling = z.infer<typeof Sampling>;

/** `ClientPart` as stored with a turn. */
export const ClientPart = z
  .object({
    /** What the client sent as `system` or `developer` messages. */
    guidance: z.string().max(MAX_GUIDANCE_CHARS).optional(),
    tools: z.array(ClientTool).max(MAX_TOOLS).optional(),
    toolChoice: ClientToolChoice.optional(),
    /** Earlier messages that the session does not know. */
    history: z.array(DoorMessage).max(MAX_HISTORY_MESSAGES).optional(),
    format: AnswerFormat.optional(),
    /** One of the operator's choices, for this turn only. */
    model: z.string().min(1).max(200).optional(),
    effort: Effort.optional(),
    ...Sampling.shape,
  })
  .superRefine((part, { addIssue }) => {
    const tools = part.tools ?? [];
    const names = new Set(tools.map(({ name }) => name));
    const say = (path: PropertyKey[], message: string) => addIssue({ code: "custom", path, message });
    if (names.size < tools.length) say(["tools"], "two tools have the same name");
    if (byteLength(JSON.stringify(tools)) > MAX_TOOLS_BYTES) {
      say(["tools"], `all tools together have at most ${MAX_TOOLS_BYTES} bytes as JSON`);
    }
    const { toolChoice } = part;
    if (typeof toolChoice === "object" && !names.has(toolChoice.name)) {
      say(["toolChoice"], `tools has no '${toolChoice.name}'`);
    }
    if (toolChoice === "required" && names.size === 0) say(["toolChoice"], "there is no tool to require a call of");
  });
export type ClientPart = z.infer<typeof ClientPart>;

/** Of the `index`-th call of the client's tools in a step of a turn. It names the session, so that a result finds it by the id alone. */
export function toClientCallId(place: ClientCallPlace): string {
  return `call_${place.session}_${place.turn}_${place.step}_${place.index}`;
}

export interface ClientCallPlace {
  session: SessionId;
  turn: number;
  /** From 0. */
  step: number;
  /** Among the calls of the model's answer, from 0. */
  index: number;
}

const CALL_ID = /^call_([0-9A-HJKMNP-TV-Z]{26})_(\d{1,9})_(\d{1,9})_(\d{1,9})$/;

/** `null`: no session made this id. */
export function parseClientCallId(id: string): ClientCallPlace | null {
  const [, session, turn, step, index] = CALL_ID.exec(id) ?? [];
  return session === undefined ? null : { session, turn: Number(turn), step: Number(step), index: Number(index) };
}
