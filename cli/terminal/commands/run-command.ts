// What the terminal does with a typed text: it runs a command of its own, refuses one that nobody knows, or sends a message. Used by
// run-terminal.ts. An unknown or wrongly written command is never sent, so it is never billed, and its text goes back to the editor.
import { type ClientCommandName, offeredCommands } from "../../../core/commands/commands.ts";
import { renderCommandHelp } from "../../../core/commands/help.ts";
import {
  describeMisuse,
  findNearest,
  isCommandWord,
  parseSessionCommand,
  parseTypedLine,
} from "../../../core/commands/parse-command.ts";
import type { SessionDetail } from "../../../core/schemas/api.ts";
import type { BusyMode } from "../../../core/schemas/settings.ts";
import type { Client } from "../../connection/client.ts";
import { describeWait } from "../../describe-wait.ts";
import { type AttachedImage, isImagePath } from "../../image-file.ts";
import { getFile } from "../../pages/get-file.ts";
import { BRANCH_FORM, branchSession, createPageCommands } from "../../pages/page-commands.ts";
import { formatTime } from "../../output/times.ts";
import { toOneLine } from "../../output/plain-text.ts";
import type { Pastes } from "../input/pastes.ts";
import type { SessionView } from "../session-view.ts";
import { createChoicePanel, createListPanel } from "../view/panels.ts";
import type { Screen } from "../view/screen.ts";
import { findFiles, sendFiles } from "./attach-files.ts";

export interface CommandsOptions {
  client: Client;
  screen: Screen;
  view(): SessionView;
  /** Shows another session; `null` is a new one. */
  show(detail: SessionDetail | null): Promise<void>;
  pastes: Pastes;
  toSentence(error: unknown): string;
  leave(): void;
}

const HELP = `${renderCommandHelp("terminal", "owner")}

/NAME [x=1] TEXT loads the skill NAME for TEXT. @PATH sends a file of this machine to the workspace, an image with the message.
Enter sends; Shift-Enter, Ctrl-J, or \\ before Enter begins a new line. Tab completes. ↑ on an empty line shows what you sent before.
While a turn runs, Enter queues, Alt-Enter steers, Esc stops. Ctrl-O unfolds tool calls and long messages.
A line that begins with a space is not kept in the history. Ctrl-C clears the line, else stops the turn, else leaves; Ctrl-D leaves.`;

export function createCommands(options: CommandsOptions) {
  const { client, screen, view, pastes, toSentence } = options;
  const { theme } = screen;
  const pages = createPageCommands(client, () => view().id());
  const showPage = (page: (argument: string) => Promise<string>) => async (argument: string) =>
    screen.page(await page(argument));
  const note = (text: string) => screen.note(text);
  let skills: { name: string; description: string }[] = [];
  void loadSkills().catch(() => {}); // asked again when a word is not known

  const commands: Record<ClientCommandName, (argument: string) => Promise<void> | void> = {
    steer: (text) => say(text, "steer"),
    interrupt: (text) => say(text, "interrupt"),
    queue: (text) => say(text, "queue"),
    image: (path) => pastes.attach(path),
    get: async (argument) =>
      note(await getFile(argument, { client, session: needSession(), folder: process.cwd(), mayReplace })),
    stop: () => view().stop(),
    branch,
    usage: showPage(pages.usage),
    learning: showPage(pages.learning),
    why: showPage(pages.why),
    unlearn: showPage(pages.unlearn),
    rate: async (argument) => note(await pages.rate(argument)),
    skills: showPage(pages.skills),
    memory: showPage(pages.memory),
    search: showPage(pages.search),
    sessions: async (id) => (id === "" ? pickSession() : open(id)),
    new: () => change(() => options.show(null)),
    exit: options.leave,
    help: () => screen.page(HELP),
  };

  function needSession(): string {
    const id = view().id();
    if (id === null) throw new Error("This session has no message yet.");
    return id;
  }

  async function loadSkills(): Promise<void> {
    const offered = (await client.listSkills()).filter(({ heldUntil = 0 }) => heldUntil <= Date.now());
    skills = offered.map(({ name, description }) => ({ name, description }));
  }

  /** Nothing that was typed or attached is lost. A private text stays one. */
  function putBack({ text, images, isPrivate }: { text: string; images: AttachedImage[]; isPrivate: boolean }): void {
    pastes.takeBack(images);
    screen.editor.putBack(isPrivate ? ` ${text}` : text);
    screen.draw();
  }

  function refuse(text: string, hint: string, isPrivate = false): void {
    screen.note(hint, theme.warn);
    putBack({ text, images: [], isPrivate });
  }

  async function obey(text: string, { isPrivate }: { isPrivate: boolean }): Promise<void> {
    if (text.trim() === "") return;
    if (isPrivate || !text.startsWith("/")) return say(text, undefined, isPrivate);
    const misuse = describeMisuse(text);
    if (misuse !== null) return refuse(text, misuse);
    const typed = parseTypedLine(text);
    if (typed.kind === "command") {
      try {
        await commands[typed.name](typed.argument);
      } catch (error) {
        refuse(text, toSentence(error));
      }
      return;
    }
    const word = /^\/([a-z][a-z0-9-]*)(?:\s|$)/i.exec(text)?.[1];
    if (word === undefined || isCommandWord(text, "terminal") || (await isSkill(word))) return say(text);
    const near = findNearest(
      word.toLowerCase(),
      [...offeredCommands("terminal", "owner"), ...skills].map(({ name }) => name),
    );
    const advice = near
      ? `Did you mean /${near}?`
      : "/help lists the commands; a space in front sends the line as it is.";
    refuse(text, `There is no command or skill /${word}, so nothing was sent. ${advice}`);
  }

  /** A lost server cannot say which skills there are: then the message is sent when it is back. */
  async function isSkill(name: string): Promise<boolean> {
    if (skills.some((skill) => skill.name === name)) return true;
    try {
      await loadSkills();
    } catch {
      return true;
    }
    return skills.some((skill) => skill.name === name);
  }

  async function say(text: string, busy?: BusyMode, isPrivate = false): Promise<void> {
    if (isImagePath(text.trim())) return pastes.attach(text.trim());
    const waitsFor = view().waitsFor();
    const wait = waitsFor === null || busy !== undefined ? null : describeWait(text, waitsFor);
    if (wait && !wait.isSent) return refuse(text, wait.hint, isPrivate);
    const { images, files, refusals } = await findFiles(text, process.cwd());
    if (refusals.length > 0) return refuse(text, refusals.join("\n"), isPrivate);
    if (wait) note(wait.hint);
    const prepare = (session: string) => sendFiles(client, session, text, files);
    // No model reads a command, so the images wait for the next message.
    const given = parseSessionCommand(text) === null ? pastes.giveAway() : [];
    view().send({
      text,
      isPrivate,
      images: [...given, ...images],
      ...(busy && { busy }),
      ...(files.length > 0 && { prepare }),
    });
  }

  /** Another session takes this one's place only when everything was sent. */
  async function change(next: () => Promise<void>): Promise<void> {
    if (view().unsent().length > 0) throw new Error("A message is not sent yet: wait, or leave with Ctrl-D.");
    await next();
  }

  const open = (id: string) => change(async () => options.show(await client.session(id)));

  async function branch(turn: string): Promise<void> {
    const from = needSession();
    const made = await branchSession(client, from, turn);
    if (made === null) throw new Error(BRANCH_FORM);
    await change(() => options.show(made));
    note(`(a branch of ${from}; /sessions ${from} goes back)`);
  }

  async function pickSession(): Promise<void> {
    const sessions = await client.recentSessions();
    if (sessions.length === 0) return note("There is no session yet: type a message.");
    const close = () => screen.setPanel(null);
    screen.setPanel(
      createListPanel({
        title: "Sessions",
        theme,
        items: sessions.map(({ session, title, createdAt }) => ({
          value: session,
          label: toOneLine(title === "" ? "(no title)" : title),
          description: `${formatTime(createdAt)} ${session}`,
        })),
        onChange: screen.draw,
        onCancel: close,
        onChoose(id) {
          close();
          open(id).catch((error: unknown) => screen.note(toSentence(error), theme.bad));
        },
      }),
    );
  }

  function mayReplace(path: string): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (answer: boolean) => {
        screen.setPanel(null);
        resolve(answer);
      };
      screen.setPanel(
        createChoicePanel({
          theme,
          title: `${path} exists already.`,
          choices: [
            { key: "n", label: "keep it" },
            { key: "y", label: "replace it" },
          ],
          hint: "A letter or number chooses.",
          onChoose: ([place]) => end(place === 1),
          onChange: screen.draw,
        }),
      );
    });
  }

  return {
    obey,
    putBack,
    pickSession,
    skills: () => skills,
    steer: (text: string) => void say(text, "steer").catch((error: unknown) => refuse(text, toSentence(error))),
  };
}
