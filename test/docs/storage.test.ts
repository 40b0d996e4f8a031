// docs/STORAGE.md names each key and each table that the sources have, and no other.
import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { MEMORY_KEYS, OBJECT_KEYS } from "../../stores/keys.ts";

const root = resolve(import.meta.dirname, "../..");
const document = readFileSync(join(root, "docs/STORAGE.md"), "utf8");

describe("docs/STORAGE.md", () => {
  it("names the keys of stores/keys.ts, each once", () => {
    expect(rowsOf("R2: `SKILLS`")).toEqual(Object.values<string>(OBJECT_KEYS).sort());
    expect(rowsOf("KV: `MEMORY`")).toEqual(Object.values<string>(MEMORY_KEYS).sort());
  });

  it("names the tables that the sources create, each once", () => {
    expect(rowsOf("SQLite: Session")).toEqual(tablesIn("core/session", "core/workspace", "durable-objects/session"));
    expect(rowsOf("SQLite: Archive")).toEqual(tablesIn("core/archive", "durable-objects/archive.ts"));
    expect(rowsOf("SQLite: Webhooks")).toEqual(tablesIn("core/webhooks", "durable-objects/webhooks"));
    expect(rowsOf("SQLite: Agenda")).toEqual(
      tablesIn("core/agenda", "core/goals", "core/jobs", "durable-objects/agenda"),
    );
    expect(rowsOf("SQLite: Experiments")).toEqual(tablesIn("core/experiments", "durable-objects/experiments"));
    expect(rowsOf("SQLite: Board")).toEqual(tablesIn("core/board", "durable-objects/board"));
    expect(rowsOf("SQLite: Channels")).toEqual(tablesIn("core/channels", "durable-objects/channels"));
    expect(rowsOf("SQLite: Account")).toEqual(
      tablesIn(
        "durable-objects/account.ts",
        "durable-objects/account-tables.ts",
        "durable-objects/keys",
        "durable-objects/runs",
        "durable-objects/library",
        "durable-objects/conversations",
        "durable-objects/responses",
        "durable-objects/account-sessions.ts",
        "durable-objects/account-ledger.ts",
        "durable-objects/account-erasure.ts",
        "durable-objects/account-curation.ts",
        "durable-objects/account-upkeep.ts",
        "durable-objects/account-approvals.ts",
        "durable-objects/account-settings.ts",
        "durable-objects/account-suggestions.ts",
        "durable-objects/training",
        "core/hooks",
      ),
    );
    expect(tablesIn("core", "durable-objects")).toEqual(
      ["Session", "Account", "Archive", "Webhooks", "Channels", "Agenda", "Board", "Experiments"]
        .flatMap((object) => rowsOf(`SQLite: ${object}`))
        .sort(),
    );
  });

  it("says of each who writes it, who reads it and how long it lives", () => {
    const rows = document.split("\n").filter((line) => line.startsWith("| `"));
    expect(rows.length).toBeGreaterThan(20);
    const incomplete = rows.filter((row) => {
      const cells = row.split("|").slice(1, -1);
      return cells.length !== 5 || cells.some((cell) => cell.trim() === "");
    });
    expect(incomplete).toEqual([]);
  });
});

/** The first column of a section's table. */
function rowsOf(section: string): string[] {
  const [, text = ""] = document.split(`## ${section}\n`);
  const [own = ""] = text.split("\n## ");
  return [...own.matchAll(/^\| `([^`]+)` \|/gm)].map((match) => match[1]!).sort();
}

function tablesIn(...folders: string[]): string[] {
  const texts = folders.flatMap((folder) => (folder.endsWith(".ts") ? [folder] : filesIn(folder)));
  const created = texts.flatMap((path) => {
    const text = readFileSync(join(root, path), "utf8");
    return [...text.matchAll(/CREATE (?:VIRTUAL )?TABLE (?:IF NOT EXISTS )?(\w+)/g)].map((match) => match[1]!);
  });
  return created.sort();
}

function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => join(folder, path));
}
