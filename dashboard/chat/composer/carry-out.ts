// Messages that begin with a slash: commands of the page are carried out, others are sent as they are. The table is loaded with the first.
import { loadPart } from "../../data/api.ts";
import { showPanel } from "../../data/preferences.ts";
import { hrefOf } from "../../pages.ts";
import { branchAfter } from "../session/branching.ts";
import type { Composed } from "../session/outgoing.ts";
import type { SessionView } from "../session/session-view.ts";

export interface ChatActions {
  view: SessionView | null;
  /** Shows a session that was just made. */
  begin(session: string): void;
  /** Writes into the empty composer. */
  write(text: string): void;
}

/** Answers what is to be sent; `null`: it is done. Throws what the person did wrong, in a sentence. */
export async function carryOut(message: Composed, { view, begin, write }: ChatActions): Promise<Composed | null> {
  const { parseLine } = await loadPart(import("./completion.ts"));
  const line = parseLine(message.text);
  if (line.kind === "misused") throw new Error(line.hint);
  if (line.kind === "message") return message;
  const { name, argument } = line;
  switch (name) {
    case "queue":
    case "steer":
    case "interrupt":
      return { ...message, text: argument, busy: name };
    case "stop":
      await view?.stop();
      return null;
    case "branch":
      if (!view) throw new Error("There is no conversation yet to branch from.");
      if (!/^\d{0,9}$/.test(argument)) throw new Error("Write it as /branch [TURN], with the number of a turn.");
      begin(await branchAfter(view.session, argument === "" ? undefined : Number(argument)));
      return null;
    case "usage":
      showPanel(true);
      return null;
    case "learning":
      location.hash = argument === "" ? hrefOf("learning") : hrefOf("skills", argument);
      return null;
    case "help":
      write("/"); // The list of completions is the help.
      return null;
  }
}
