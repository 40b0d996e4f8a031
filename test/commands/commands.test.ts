// The table of commands against those who dispatch on it, and against the rest of the tree.
import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { COMMAND_HELP } from "../../cli/orders.ts";
import { COMMANDS, type CommandRow, mayUse, offeredCommands } from "../../core/commands/commands.ts";
import { renderCommandHelp, formatUsage } from "../../core/commands/help.ts";
import { parseLineOf, parseSessionCommand } from "../../core/commands/parse-command.ts";
import { BusyMode } from "../../core/schemas/settings.ts";
import { SESSION_COMMANDS } from "../../core/session/turn/commands/run-command.ts";

const root = resolve(import.meta.dirname, "../..");
const rows: readonly CommandRow[] = COMMANDS;
const CLIENTS = ["terminal", "web", "channel"] as const;
const namesOf = (handler: CommandRow["handler"]) =>
  rows.filter((row) => row.handler === handler).map(({ name }) => name);

describe("the table of commands", () => {
  it("holds every word once", () => {
    const words = rows.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    expect(words.filter((word, at) => words.indexOf(word) !== at)).toEqual([]);
    expect(words.filter((word) => !/^[a-z]+$/.test(word))).toEqual([]);
  });

  it("holds exactly the commands that the session carries out", () => {
    expect(Object.keys(SESSION_COMMANDS).toSorted()).toEqual(namesOf("session").toSorted());
  });

  it("is read by the session and by clients, each its own rows", () => {
    const written = rows.map((row) => [row, row.argument ? `/${row.name} x` : `/${row.name}`] as const);
    const bySession = written.filter(([, line]) => parseSessionCommand(line)).map(([{ name }]) => name);
    expect(bySession).toEqual(namesOf("session"));
    for (const client of CLIENTS) {
      const fitting = (row: CommandRow) => row.argument?.fits?.test("x") !== false;
      const byClient = written.filter(([row, line]) => fitting(row) && parseLineOf(client, line).kind === "command");
      const offered = offeredCommands(client, "owner").filter((row) => row.handler === "client" && fitting(row));
      expect(byClient.map(([{ name }]) => name)).toEqual(offered.map(({ name }) => name));
    }
  });

  it("is the only list of commands in the product", () => {
    // Three names of commands in a row, quoted or with a slash, or between bars of an expression.
    // Three of them are also the values of a message's `busy`, and listed as such.
    // Others are the names of fields, and of what a profile has.
    const fields = ["model", "reasoning", "title", "usage"];
    const words = [...BusyMode.options, ...fields, "skills", "memory", "sessions", "search"];
    const names = rows.map(({ name }) => name).filter((name) => !words.includes(name));
    const any = `(?:${names.join("|")})`;
    const list = new RegExp(`\\b${any}\\b["'\`\\s]*[,|/]["'\`\\s/]*${any}\\b["'\`\\s]*[,|/]["'\`\\s/]*${any}\\b`);
    const found = ["core", "cli", "workers", "durable-objects", "stores", "scripts"].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
        .filter((path) => path.endsWith(".ts"))
        .map((path) => `${folder}/${path}`)
        .filter((path) => list.test(readFileSync(join(root, path), "utf8").replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, ""))),
    );
    expect(found).toEqual([]);
  });
});

describe("the help of commands", () => {
  it("has one line for each command of a client, as narrow as a terminal", () => {
    const lines = renderCommandHelp("terminal", "owner").split("\n");
    expect(lines.map((line) => line.trim().split(/ {2,}/)[0])).toEqual(
      offeredCommands("terminal", "owner").map(formatUsage),
    );
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  it("is part of the terminal's help", () => {
    expect(COMMAND_HELP).toContain(renderCommandHelp("terminal", "owner"));
  });

  it("leaves out what a client or a role cannot use", () => {
    expect(renderCommandHelp("web", "owner")).not.toContain("/exit");
    const participant = offeredCommands("channel", "participant").map(({ name }) => name);
    expect(participant).toEqual([
      "compress",
      "refresh",
      "skill",
      "answer",
      "steer",
      "interrupt",
      "queue",
      "stop",
      "sessions",
      "new",
      "status",
      "whoami",
      "topic",
      "start",
      "help",
    ]);
  });

  it("leaves out of a shared session what would end it for everybody", () => {
    const names = (isShared: boolean) => offeredCommands("channel", "participant", isShared).map(({ name }) => name);
    expect(names(false).filter((name) => !names(true).includes(name))).toEqual(["sessions", "new", "topic"]);
  });

  it("keeps from admins what the owner said elsewhere, and the owner's name", () => {
    const names = (role: "owner" | "admin") => offeredCommands("channel", role).map(({ name }) => name);
    expect(names("owner").filter((name) => !names("admin").includes(name))).toEqual([
      "learn",
      "jobs",
      "board",
      "blueprint",
      "memory",
      "search",
    ]);
  });

  it("has in channels what people of other gateways know", () => {
    const asked =
      "new stop retry undo status whoami model reasoning personality usage compress resume sessions title topic branch skills memory refine learn pending approve deny search help skill";
    const words = offeredCommands("channel", "owner").flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    expect(asked.split(" ").filter((word) => !words.includes(word))).toEqual([]);
  });

  it("always leaves help and whoami", () => {
    const names = offeredCommands("channel", "participant", true).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["help", "whoami"]));
  });
});

describe("a command of the owner", () => {
  it("is refused to a participant", () => {
    const approve = rows.find(({ name }) => name === "approve")!;
    expect([mayUse(approve, "owner"), mayUse(approve, "participant")]).toEqual([true, false]);
  });
});
