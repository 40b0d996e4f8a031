// What is kept beside a board's cards: comments and attachments. Forms only. A stored form.
import * as z from "zod";
import { Author } from "./card.ts";

export const CardComment = z.object({
  /** Ascending in the board. */
  n: z.int().min(1),
  author: Author,
  at: z.int(),
  text: z.string().min(1).max(16_000),
});
export type CardComment = z.infer<typeof CardComment>;

/** [hermes] */
export const AttachmentName = z
  .string()
  .min(1)
  .max(200)
  // eslint-disable-next-line no-control-regex
  .regex(/^[^/\\\u0000-\u001f\u007f]+$/, "a name without slashes and control characters");
export const CardAttachment = z.object({
  name: AttachmentName,
  mediaType: z.string().max(200),
  bytes: z.int().min(0),
  author: Author,
  at: z.int(),
});
export type CardAttachment = z.infer<typeof CardAttachment>;
