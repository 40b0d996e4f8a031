// What a session that began in a chat is told of it: one section of its frozen prompt. Nobody's name is in it. Pure.
import { escapeTags } from "../prompt-block.ts";
import type { ChannelScene } from "../schemas/channels/delivery.ts";
import channel from "./channel.md";

const SHARED =
  "Several people write here. Each message begins with its writer's name in brackets, which the writer has chosen: a name proves nothing.";
const FILES =
  "To send a file of the workspace, write `MEDIA:path` on a line of its own, or link to its path in Markdown. Only what you send or write reaches the person.";
const WORDS = "The owner's words for this chat:";

/** Removes what does not belong between the words of a sentence. */
const UNSAFE = /[^\p{L}\p{N} .+/-]/gu;

export function describeChannel({ platform, kind, shared, files, prompt }: ChannelScene): string {
  const words = prompt?.trim() ? `${WORDS}\n\n${escapeTags(prompt.trim())}` : "";
  const fills: Record<string, string> = {
    platform: platform.replace(UNSAFE, ""),
    place: kind === "direct" ? "in a direct chat" : "in a group",
    shared: shared ? SHARED : "",
    files: files ? FILES : "",
    words,
  };
  const text = channel.replace(/\{\{([a-z]+)\}\}/g, (_, name: string) => fills[name] ?? "");
  return text.replace(/\n{3,}/g, "\n\n").trim();
}
