// Commands in Talaria's own words, as a person types them on the platform. Called by make-pieces.ts. Pure.
import { offeredCommands } from "../../commands/commands.ts";
import type { DeliveryInfo } from "../../schemas/channels/ledger.ts";

const NAMES = offeredCommands("channel", "owner").flatMap(({ name, aliases = [] }) => [name, ...aliases]);
/** Not within a path or an address. */
const COMMAND = new RegExp(`(?<![\\w./:<-])/(?=(?:NAME|${NAMES.join("|")})(?![\\w/.-]))`, "g");
/** A question also shows what would run, which is never changed. */
const DECISION = /(?<=`)\/(?=(?:approve|deny) [0-9a-f]{6}\b)/g;

/** `prefix`: what stands before a command there. The model's words stay as they are. */
export function writeCommands(markdown: string, kind: DeliveryInfo["kind"], prefix: string | undefined): string {
  if (prefix === undefined || kind === "answer" || kind === "settled") return markdown;
  return markdown.replace(kind === "question" ? DECISION : COMMAND, `${prefix}/`);
}
