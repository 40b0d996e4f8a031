// Completion in the editor: commands after a slash, skills, models, paths after `@`, paths of the workspace for /get. Used by
// run-terminal.ts. Reads names of files, never a file.
import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, resolve } from "node:path";
import type { AutocompleteItem, AutocompleteProvider } from "@earendil-works/pi-tui";
import { offeredCommands } from "../../../core/commands/commands.ts";
import { formatUsage } from "../../../core/commands/help.ts";
import { completeCommand } from "../../../core/commands/parse-command.ts";
import type { Client } from "../../connection/client.ts";
import { toOneLine } from "../../output/plain-text.ts";

const MAX_ITEMS = 40;

export interface CompletionOptions {
  client: Pick<Client, "models" | "listFiles">;
  session(): string | null;
  /** Names of skills, which are commands too. */
  skills(): readonly { name: string; description: string }[];
  folder?: string;
}

export function createCompletion({
  client,
  session,
  skills,
  folder = process.cwd(),
}: CompletionOptions): AutocompleteProvider {
  return {
    triggerCharacters: ["@"],
    async getSuggestions(lines, cursorLine, cursorCol) {
      const before = (lines[cursorLine] ?? "").slice(0, cursorCol);
      if (cursorLine === 0) {
        const word = /^\/[a-z0-9-]*$/.exec(before)?.[0];
        if (word !== undefined) return toSuggestions(completeWord(word, skills()), word);
        const [, name, given = ""] = /^\/([a-z]+) +(\S*)$/.exec(before) ?? [];
        if (name !== undefined) {
          const items = await completeArgument(name, given).catch(() => null);
          if (items !== null) return toSuggestions(items, given);
        }
      }
      const typed = /(?:^|\s)(@\S*)$/.exec(before)?.[1];
      if (typed === undefined) return null;
      return toSuggestions(await completePath(typed.slice(1), folder), typed);
    },
    applyCompletion(lines, cursorLine, cursorCol, item, prefix) {
      const line = lines[cursorLine] ?? "";
      const end = item.value.endsWith("/") ? "" : " ";
      const start = line.slice(0, cursorCol - prefix.length) + item.value + end;
      return { lines: lines.with(cursorLine, start + line.slice(cursorCol)), cursorLine, cursorCol: start.length };
    },
  };

  /** `null`: this command has nothing to complete. */
  async function completeArgument(name: string, given: string): Promise<AutocompleteItem[] | null> {
    if (name === "model")
      return pick(
        (await client.models()).map((model) => model.name),
        given,
      );
    if (name === "skills" || name === "skill" || name === "learning") {
      return pick(
        skills().map((skill) => skill.name),
        given,
      );
    }
    const id = session();
    if (name === "get" && id !== null)
      return pick(
        (await client.listFiles(id)).map(({ path }) => path),
        given,
      );
    if (name === "image") return completePath(given, folder).then((items) => items.map(withoutSign));
    return null;
  }
}

function toSuggestions(items: AutocompleteItem[], prefix: string) {
  return items.length > 0 ? { items: items.slice(0, MAX_ITEMS), prefix } : null;
}

function pick(values: string[], given: string): AutocompleteItem[] {
  return values.filter((value) => value.startsWith(given)).map((value) => ({ value, label: toOneLine(value) }));
}

function completeWord(typed: string, skills: readonly { name: string; description: string }[]): AutocompleteItem[] {
  const commands = offeredCommands("terminal", "owner").flatMap((row) =>
    [row.name, ...(row.aliases ?? [])].map((name) => ({
      value: `/${name}`,
      label: `/${name}`,
      description: `${row.argument ? `${formatUsage(row).split(" ").slice(1).join(" ")} · ` : ""}${row.help}`,
    })),
  );
  const loaded = skills.map(({ name, description }) => ({
    value: `/${name}`,
    label: `/${name}`,
    description: toOneLine(description),
  }));
  const known = new Set(completeCommand(typed, "terminal", "owner"));
  return [
    ...commands.filter(({ value }) => known.has(value)),
    ...loaded.filter(({ value }) => value.startsWith(typed)),
  ];
}

/** Paths below `folder`, or from the root or the home folder where the person writes them so. */
async function completePath(typed: string, folder: string): Promise<AutocompleteItem[]> {
  const isFolder = typed === "" || typed.endsWith("/");
  const parent = isFolder ? typed : typed.slice(0, typed.length - basename(typed).length);
  const start = isFolder ? "" : basename(typed);
  const place = resolve(folder, parent.replace(/^~(?=\/|$)/, homedir()) || ".");
  const entries = await readdir(place, { withFileTypes: true }).catch(() => []);
  return entries
    .filter(
      ({ name }) => name.startsWith(start) && (start.startsWith(".") || !name.startsWith(".")) && !/\s/.test(name),
    )
    .toSorted((a, b) => a.name.localeCompare(b.name))
    .map((entry) => {
      const path = `${parent}${entry.name}${entry.isDirectory() ? "/" : ""}`;
      return { value: `@${path}`, label: toOneLine(`${entry.name}${entry.isDirectory() ? "/" : ""}`) };
    });
}

function withoutSign({ value, label }: AutocompleteItem): AutocompleteItem {
  return { value: value.slice(1), label };
}
