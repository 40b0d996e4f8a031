// Ids of cards, jobs and their runs. Pure.
import type { Random } from "./ports.ts";

/** Without letters that look like others. */
const LETTERS = "0123456789abcdefghjkmnpqrstvwxyz";

/** As `CardId`, `JobId` and their runs' ids: the letter and 12 others of 32, which are 60 bits. */
export function createShortId(letter: string, random: Random): string {
  return letter + Array.from({ length: 12 }, () => LETTERS[Math.floor(random() * LETTERS.length)]).join("");
}
