// The prompts that plan a card of a board, and the material that the model reads. Pure.
import { escapeTags } from "../../prompt-block.ts";
import decompose from "./decompose.md";
import specify from "./specify.md";

export type PlanKind = "specify" | "decompose";

export function planPrompt(kind: PlanKind): string {
  return (kind === "specify" ? specify : decompose).trim();
}

export interface PlanRequest {
  card: string;
  /** What was said on the card, a text each. */
  comments: string[];
  roles: { name: string; description: string }[];
  maxCards: number;
  /** An answer that could not be used, and why. */
  earlier?: { answer: string; reason: string };
}

export function renderPlanRequest(kind: PlanKind, { card, comments, roles, maxCards, earlier }: PlanRequest): string {
  const said = comments.map((text) => `<content>\n${escapeTags(text)}\n</content>`);
  const known =
    roles.map(({ name, description }) => `- ${name}: ${escapeTags(description)}`).join("\n") || "There are none.";
  const repair = earlier
    ? [
        `<answer>\n${escapeTags(earlier.answer)}\n</answer>`,
        `This answer cannot be used: ${escapeTags(earlier.reason)} Answer again, with the JSON alone.`,
      ]
    : [];
  const wanted =
    kind === "specify"
      ? ["Write the specification of this card."]
      : [`<content>\nRoles:\n${known}\n</content>`, `Divide this card into at most ${maxCards} cards.`];
  return [`<request>\n${escapeTags(card)}\n</request>`, ...said, ...wanted, ...repair].join("\n\n");
}
