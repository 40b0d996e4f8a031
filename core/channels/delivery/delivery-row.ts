// One delivery as its row has it. Stored form of the body, see docs/STORAGE.md; types only beside it.
import * as z from "zod";
import type { PlatformName } from "../../schemas/channels/inbound.ts";
import type { DeliveryError, DeliveryInfo, DeliveryState } from "../../schemas/channels/ledger.ts";
import { AskedQuestion } from "../../schemas/entry.ts";
import type { SessionId } from "../../schemas/ids.ts";
import { ButtonMeaning } from "./meaning.ts";

/** A message or a file of a delivery. `text`: in the platform's form. */
const Piece = z.union([z.object({ text: z.string() }), z.object({ file: z.string() })]);
export type Piece = z.infer<typeof Piece>;

export const Body = z.object({
  v: z.literal(1),
  /** Markdown. */
  text: z.string(),
  replyTo: z.string().optional(),
  question: AskedQuestion.optional(),
  buttons: z.array(z.object({ label: z.string(), means: ButtonMeaning })).optional(),
  /** Of `settled`: the row whose buttons are taken away. */
  target: z.int().optional(),
  /** What is sent, made at the first attempt. */
  pieces: z.array(Piece).optional(),
  /** The buttons of the last text, with their tokens. */
  shown: z.array(z.object({ label: z.string(), token: z.string() })).optional(),
  /** An earlier attempt at the next message may have arrived. */
  unsure: z.literal(true).optional(),
  /** The message on the platform that becomes the first piece. */
  edits: z.string().optional(),
  /** The message with the buttons. */
  asked: z.object({ id: z.string(), text: z.string() }).optional(),
});
export type Body = z.infer<typeof Body>;

export interface DeliveryRow {
  n: number;
  id: string;
  chat: string;
  platform: PlatformName;
  session: SessionId | null;
  turn: number | null;
  kind: DeliveryInfo["kind"];
  question: string | null;
  state: DeliveryState;
  at: number;
  /** Since when it may be sent: later than `at` if it was held. */
  fresh: number;
  ended: number | null;
  due: number | null;
  attempts: number;
  flying: boolean;
  duplicate: boolean;
  sent: number;
  error: DeliveryError | null;
  /** `null`: it has ended. */
  body: Body | null;
}
