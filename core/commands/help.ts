// How the commands of the table are shown to a person. Called by clients. Pure.
import { type CommandClient, type CommandRole, type CommandRow, offeredCommands } from "./commands.ts";

/** One indented line per command that `client` offers to `role`, the explanations aligned. */
export function renderCommandHelp(client: CommandClient, role: CommandRole): string {
  const rows = offeredCommands(client, role);
  const width = Math.max(...rows.map((row) => formatUsage(row).length));
  return rows
    .map((row) => {
      const aliases = row.aliases?.map((alias) => `/${alias}`).join(", ");
      return `  ${formatUsage(row).padEnd(width)}  ${row.help}${aliases ? ` (also ${aliases})` : ""}`;
    })
    .join("\n");
}

/** Such as `/approve ID` or `/compress [FOCUS]`. */
export function formatUsage({ name, argument }: Pick<CommandRow, "name" | "argument">): string {
  if (argument === null) return `/${name}`;
  return `/${name} ${argument.required ? argument.name : `[${argument.name}]`}`;
}
