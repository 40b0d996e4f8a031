// Every stored thing of docs/STORAGE.md is decided in core/moving/stored.ts: it travels, is made again, or stays, with the reason.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  ACCOUNT_FATES,
  AGENDA_FATES,
  ARCHIVE_FATES,
  BOARD_FATES,
  EXPERIMENTS_FATES,
  type Fate,
  MEMORY_FATES,
  OBJECT_FATES,
  SESSION_FATES,
  WEBHOOKS_FATES,
  CHANNELS_FATES,
} from "../../core/moving/stored.ts";

const document = readFileSync(join(import.meta.dirname, "../../docs/STORAGE.md"), "utf8");
const SECTIONS: [section: string, word: string, fates: Record<string, Fate>][] = [
  ["R2: `SKILLS`", "R2", OBJECT_FATES],
  ["KV: `MEMORY`", "KV", MEMORY_FATES],
  ["SQLite: Session", "Session", SESSION_FATES],
  ["SQLite: Account", "Account", ACCOUNT_FATES],
  ["SQLite: Archive", "Archive", ARCHIVE_FATES],
  ["SQLite: Webhooks", "Webhooks", WEBHOOKS_FATES],
  ["SQLite: Channels", "Channels", CHANNELS_FATES],
  ["SQLite: Agenda", "Agenda", AGENDA_FATES],
  ["SQLite: Board", "Board", BOARD_FATES],
  ["SQLite: Experiments", "Experiments", EXPERIMENTS_FATES],
];

describe("whole profiles", () => {
  it.each(SECTIONS)("each stored thing of %s is decided", (section, _, fates) => {
    expect(Object.keys(fates).toSorted()).toEqual(rowsOf(section));
  });

  it("what does not travel is listed with its reason", () => {
    const [, text = ""] = document.split("## When a profile is moved\n");
    const listed = text.split("\n## ")[0]!.match(/^- \w+ `.*$/gm);
    expect(listed).toEqual(
      SECTIONS.flatMap(([, word, fates]) =>
        Object.entries(fates).flatMap(([name, fate]) => (fate === "exported" ? [] : [`- ${word} \`${name}\` ${fate}`])),
      ),
    );
    for (const [, , fates] of SECTIONS) {
      for (const fate of Object.values(fates)) expect(fate).toMatch(/^(?:exported|(?:rebuilt|stays): \S.{5,})$/);
    }
  });
});

/** The first column of a section's table. */
function rowsOf(section: string): string[] {
  const [, text = ""] = document.split(`## ${section}\n`);
  const [own = ""] = text.split("\n## ");
  return [...own.matchAll(/^\| `([^`]+)` \|/gm)].map((match) => match[1]!).toSorted();
}
