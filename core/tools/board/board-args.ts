// What the model gives the tool `board`: one flat object for all operations. Each operation's own form (board-operations.ts) then says which fields it
// takes. Pure.
import * as z from "zod";
import { readAssignee } from "../../commands/board/board-words.ts";
import { type Result, err, ok } from "../../errors.ts";
import { BlockKind, BoardName, Card, CardId, CardStatus } from "../../schemas/board/card.ts";
import { AttachmentName } from "../../schemas/board/log.ts";

const WHO = "A role's name, @NAME for a person, - for nobody.";
const number = z.int().min(0);

/** `names`: of the operations. */
export function createBoardArgs<Name extends string>(names: readonly [Name, ...Name[]]) {
  return z.strictObject({
    action: z.enum(names),
    board: BoardName.optional().describe("Absent: the board that you work for, else main."),
    card: CardId.optional().describe("A card's id. Absent: the card that you work on."),
    title: Card.shape.title.optional(),
    body: Card.shape.body
      .optional()
      .describe("Markdown: all that who does it must know, and how the result is checked."),
    assignee: z.string().optional().describe(WHO),
    reviewer: z.string().optional().describe(`${WHO} Absent: a person.`),
    priority: Card.shape.priority.optional().describe("Higher first; 0 without it."),
    label: z.string().max(100).optional(),
    parents: z.array(CardId).optional().describe("Cards that must be done first."),
    parent: CardId.optional().describe("link: the card that must be done first. unlink: no longer."),
    children: z.array(CardId).optional().describe("Cards that the work has made. Each must exist."),
    triage: z.boolean().optional().describe("true: nobody begins until a person has looked at it."),
    not_before: z.iso.datetime({ offset: true }).optional().describe("Such as 2030-01-31T09:00:00Z."),
    skills: z.array(z.string()).optional().describe("Skills to load at the start."),
    start: z.boolean().optional().describe("true: you work on it yourself, from now on."),
    key: z.string().optional().describe("If a card with this key is open, it is returned instead."),
    to: CardStatus.optional(),
    status: CardStatus.optional().describe("Absent: all that are not archived."),
    kind: BlockKind.optional().describe(
      "dependency: link the card that it waits for first. transient: tried again later.",
    ),
    reason: z.string().optional(),
    summary: z.string().optional().describe("What was done, found and left, for readers without your files."),
    note: z.string().optional(),
    text: z.string().optional(),
    name: AttachmentName.optional().describe("Of an attachment."),
    path: z.string().optional().describe("A file of the workspace. read-attachment: where to save it."),
    after: number.optional().describe("watch: the `next` of the last call."),
    before: number.optional().describe("list: the `next` of the page before."),
    limit: number.optional(),
  });
}
export type BoardArgs<Name extends string = string> = z.infer<ReturnType<typeof createBoardArgs<Name>>>;

/** As the board's forms have them. Failure: `bad_arguments`. */
export function toFacts({
  action: _action,
  board: _board,
  card: _card,
  not_before: time,
  ...given
}: BoardArgs): Result<Record<string, unknown>> {
  const facts: Record<string, unknown> = { ...given, ...(time !== undefined && { notBefore: Date.parse(time) }) };
  for (const field of ["assignee", "reviewer"] as const) {
    const word = given[field];
    if (word === undefined) continue;
    const who = readAssignee(word);
    if (who === undefined) return err("bad_arguments", `\`${field}\`: ${WHO}`);
    facts[field] = who;
  }
  return ok(facts);
}

/** Such as `create(title, body?)`. */
export function describeFields(name: string, form: z.ZodObject, card: "needed" | "some" | "none"): string {
  const fields = Object.entries(form.shape).map(([field, type]) => {
    const isOptional = (type as z.ZodType).safeParse(undefined).success;
    return `${field === "notBefore" ? "not_before" : field}${isOptional ? "?" : ""}`;
  });
  return `${name}(${[...(card === "none" ? [] : [card === "needed" ? "card" : "card?"]), ...fields].join(", ")})`;
}
