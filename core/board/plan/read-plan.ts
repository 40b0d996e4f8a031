// The plan in a model's answer: a card's specification, or the cards that it is divided into. Anything but one JSON object of the form is refused
// as a whole, with a reason that the model can act upon. Pure; never throws.
import * as z from "zod";
import { readModelJson } from "../../agent/model-json.ts";
import { type Result, err, ok } from "../../errors.ts";
import { toOneLine } from "../../clip.ts";
import { Card } from "../../schemas/board/card.ts";

/** [own] Of one decomposition: what one worker, who judges the whole, can oversee. */
export const MAX_PARTS = 12;
const MAX_TITLE_CHARS = 200;
const MAX_BODY_CHARS = 16_000;
const MAX_REASON_CHARS = 400;

const title = z.string().transform(toOneLine).pipe(z.string().min(1).max(MAX_TITLE_CHARS));
const body = z.string().trim().min(1).max(MAX_BODY_CHARS);

const SpecifiedText = z.strictObject({
  title,
  body,
  acceptance: z
    .array(z.string().transform(toOneLine).pipe(z.string().min(1).max(1_000)))
    .min(1)
    .max(10),
  priority: Card.shape.priority.optional(),
});

/** `body` has the acceptance in it. */
export interface Specification {
  title: string;
  body: string;
  priority?: number;
}

const Part = z.strictObject({
  title,
  body,
  role: z.string().nullable().default(null),
  after: z.array(z.int().min(0)).max(MAX_PARTS).default([]),
});
const Parts = z.strictObject({ cards: z.array(Part).min(1).max(MAX_PARTS) });

/** `after`: positions in the list, without circles. */
export type CardPart = z.infer<typeof Part>;

export function readSpecification(text: string): Result<Specification> {
  const read = readForm(SpecifiedText, text);
  if (!read.ok) return read;
  const { acceptance, priority, ...words } = read.value;
  const list = acceptance.map((line) => `- ${line}`).join("\n");
  const specified = { title: words.title, body: `${words.body}\n\n## Acceptance\n\n${list}` };
  return ok({ ...specified, ...(priority !== undefined && { priority }) });
}

/** `roles`: the names of those that exist. */
export function readParts(text: string, roles: string[]): Result<CardPart[]> {
  const read = readForm(Parts, text);
  if (!read.ok) return read;
  const parts = read.value.cards.map((part) => ({ ...part, after: [...new Set(part.after)] }));
  for (const [i, { role, after }] of parts.entries()) {
    if (role !== null && !roles.includes(role))
      return refuse(`Card ${i} names the role '${role}', which does not exist.`);
    const wrong = after.find((n) => n >= parts.length || n === i);
    if (wrong !== undefined) return refuse(`Card ${i} comes after card ${wrong}, which is itself or not in the list.`);
  }
  return hasCircle(parts) ? refuse("The cards wait for each other in a circle.") : ok(parts);
}

/** Takes away cards that wait for nothing that is left, until none can be taken. */
function hasCircle(parts: CardPart[]): boolean {
  let left = parts.map((_, i) => i);
  for (;;) {
    const waiting = left.filter((i) => parts[i]!.after.some((n) => left.includes(n)));
    if (waiting.length === left.length) return left.length > 0;
    left = waiting;
  }
}

function readForm<T>(form: z.ZodType<T>, text: string): Result<T> {
  const raw = readModelJson(text);
  if (raw === undefined) return refuse("It is not one JSON object, each key once.");
  const parsed = form.safeParse(raw);
  if (parsed.success) return ok(parsed.data);
  const { path, message } = parsed.error.issues[0]!;
  return refuse(`At ${path.join(".") || "the top"}: ${message}.`);
}

function refuse(reason: string): Result<never> {
  return err("plan_unreadable", toOneLine(reason).slice(0, MAX_REASON_CHARS).toWellFormed());
}
