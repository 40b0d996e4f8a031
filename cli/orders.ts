// Carries out what a person typed: sends a message, or runs a command of the client. Used by converse.ts.
import { fromTurnId } from "../core/schemas/ids.ts";
import type { ClientCommandName } from "../core/commands/commands.ts";
import { renderCommandHelp } from "../core/commands/help.ts";
import { type TypedLine, parseSessionCommand } from "../core/commands/parse-command.ts";
import type { BusyMode } from "../core/schemas/settings.ts";
import { type AttachedImage, isImagePath, readImageFile } from "./image-file.ts";
import { createBackoff } from "./connection/backoff.ts";
import { type Client, UnreachableError } from "./connection/client.ts";
import { PROGRAM } from "./command-line/program-name.ts";
import { getFile } from "./pages/get-file.ts";
import { BRANCH_FORM, branchSession, createPageCommands } from "./pages/page-commands.ts";
import { renderSessions } from "./pages/pages.ts";

export const COMMAND_HELP = `A line sent while a turn runs waits for its end, unless the setting turn.busy says otherwise. Commands:
${renderCommandHelp("terminal", "owner")}

/NAME [x=1] TEXT loads the skill NAME for TEXT; up to five names may stand in front.
Pasted lines are one message. Ctrl-C stops the turn, and else leaves; so does Ctrl-D.`;

/** Commands of the session and of the model are messages: the server carries them out. */
export type Order = TypedLine | { kind: "nothing" };

export interface OrderOptions {
  client: Client;
  session: string;
  /** Writes a line for the person. */
  showLine(text: string): void;
  /** Called with the turn of each accepted message. */
  onTurn(n: number): void;
  /** A message that is only the path of an image is `/image` with that path. */
  takesPaths?: boolean;
  /** The command `/exit`. */
  leave(): Promise<void>;
}

/** Returns a function that resolves with the turn of a message, else with `null`. */
export function createOrders(options: OrderOptions): (order: Order) => Promise<number | null> {
  const { client, session, showLine } = options;
  const pages = createPageCommands(client, () => session);
  const showPage = (page: (argument: string) => Promise<string>) => async (argument: string) =>
    showLine(await page(argument));

  const commands: Record<ClientCommandName, (argument: string) => Promise<number | void>> = {
    steer: (text) => say(text, "steer"),
    interrupt: (text) => say(text, "interrupt"),
    queue: (text) => say(text, "queue"),
    image: async (path) => showLine(await attach(path)),
    stop: async () => void (await client.stop(session)),
    branch: async (turn) => showLine(await branch(turn)),
    get: async (argument) => showLine(await getFile(argument, { client, session, folder: process.cwd(), mayReplace })),
    usage: showPage(pages.usage),
    learning: showPage(pages.learning),
    why: showPage(pages.why),
    unlearn: showPage(pages.unlearn),
    rate: showPage(pages.rate),
    skills: showPage(pages.skills),
    memory: showPage(pages.memory),
    search: showPage(pages.search),
    sessions: async () => showLine(await renderSessions(client)),
    new: async () => showLine("A new session begins when you start again without --session."),
    exit: options.leave,
    help: async () => showLine(COMMAND_HELP),
  };

  /** For the next message. */
  let images: AttachedImage[] = [];

  async function attach(path: string): Promise<string> {
    const read = await readImageFile(path);
    if ("refusal" in read) return read.refusal;
    images.push(read.image);
    return `(${read.image.name} goes with your next message)`;
  }

  async function branch(turn: string): Promise<string> {
    const made = await branchSession(client, session, turn);
    if (made === null) return BRANCH_FORM;
    return `The branch is session ${made.session}. To go on there: ${PROGRAM} --session ${made.session}`;
  }

  /** Every attempt has the same idempotency key, so that the message is accepted once. */
  async function say(text: string, busy?: BusyMode): Promise<number> {
    const isCommand = parseSessionCommand(text) !== null; // no model reads it, so the images wait for the next message
    const sent = { busy, images: isCommand ? [] : images };
    if (!isCommand) images = []; // even if the message is refused: it says why, and the person attaches a better one
    const key = crypto.randomUUID();
    const backoff = createBackoff({});
    for (;;) {
      try {
        const { turn } = await client.postMessage(session, text, key, sent);
        const n = fromTurnId(turn).n;
        options.onTurn(n);
        return n;
      } catch (error) {
        if (!(error instanceof UnreachableError)) throw error;
        await backoff.next(error);
      }
    }
  }

  return async function obey(order) {
    switch (order.kind) {
      case "message":
        if (!options.takesPaths || !isImagePath(order.text)) return say(order.text);
        showLine(await attach(order.text));
        return null;
      case "command":
        return (await commands[order.name](order.argument)) ?? null;
      case "misused":
        showLine(order.hint);
        return null;
      case "nothing":
        return null;
    }
  };
}

/** Nobody can be asked in the middle of a line. */
async function mayReplace(): Promise<boolean> {
  return false;
}
