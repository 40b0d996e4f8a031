// The commands that a platform is told, so that it can offer them while people type. Called when a channel is registered. Pure.
import { offeredCommands } from "../../commands/commands.ts";
import type { BotCommand } from "../platform.ts";

/** Everybody sees them, so they are those of an owner: who may not use one is told. In the order of the table. */
export function listBotCommands(): BotCommand[] {
  return offeredCommands("channel", "owner").map(({ name, help }) => ({ name, help }));
}
