// The interactive terminal of `talaria`: ties the screen, the keys and the session together, and gives the terminal back however it
// ends. Called by the command line when both ends are a terminal. A client of the HTTP API only.
import { ProcessTerminal, type Terminal } from "@earendil-works/pi-tui";
import type { Backend, Learning, SessionDetail } from "../../core/schemas/api.ts";
import type { Client } from "../connection/client.ts";
import { createCommands } from "./commands/run-command.ts";
import { createCompletion } from "./input/complete.ts";
import { type History, openHistory } from "./input/history.ts";
import { suspend } from "./input/suspend.ts";
import { handleKeys } from "./input/keys.ts";
import { createPastes } from "./input/pastes.ts";
import { type SessionView, createSessionView } from "./session-view.ts";
import { createScreen } from "./view/screen.ts";
import { createTheme } from "./view/theme.ts";

interface NewSession {
  backend?: Backend;
  learning?: Learning;
}

interface NewSession {
  backend?: Backend;
  learning?: Learning;
}

export interface TerminalOptions {
  client: Client;
  /** `new`: the session is made with the first message. `pick`: a list of sessions first. */
  open: { new: NewSession } | { session: SessionDetail } | "pick";
  /** Of the server, for the first line. */
  version: string;
  model: string;
  /** How this program is called, such as `talaria`. */
  command: string;
  /** See `historyFile`; `null` keeps the history for this run only. */
  historyFile: string | null;
  toSentence(error: unknown): string;
  env?: Record<string, string | undefined>;
  /** For tests. */
  terminal?: Terminal;
}

const SIGNALS = { SIGTERM: 143, SIGHUP: 129 } as const;

/** Resolves with the exit code: 0 when the person left, 1 after a fault, 128 + the signal's number after a signal. */
export async function runTerminal(options: TerminalOptions): Promise<number> {
  const { client, toSentence, env = process.env } = options;
  const theme = createTheme(!env.NO_COLOR);
  const screen = createScreen(options.terminal ?? new ProcessTerminal(), theme);
  const history: History = openHistory(options.historyFile);
  const over = Promise.withResolvers<number>();
  let models: ReturnType<Client["models"]> | undefined;
  let fault: unknown;
  const fail = (error: unknown) => {
    fault = error;
    over.resolve(1);
  };

  let view: SessionView = openView(
    null,
    typeof options.open === "object" && "new" in options.open ? options.open.new : {},
  );

  function openView(detail: SessionDetail | null, wanted: NewSession = {}): SessionView {
    let made: string | undefined;
    return createSessionView(
      {
        client,
        screen,
        toSentence,
        onFatal: fail,
        putBack: (message) => commands.putBack(message),
        onChoice: (model) => void showModel(model),
        async create() {
          made ??= (await client.createSession(wanted)).session;
          return client.session(made);
        },
      },
      detail,
    );
  }

  async function show(detail: SessionDetail | null): Promise<void> {
    view.close();
    screen.transcript.clear();
    screen.setStatus({
      session: detail?.session ?? null,
      tokens: 0,
      usd: 0,
      ms: 0,
      context: null,
      model: options.model,
    });
    view = openView(detail);
    if (detail?.title) screen.note(`${detail.title} (${detail.session})`);
    await view.start();
    screen.draw();
  }

  const pastes = createPastes(screen);
  const commands = createCommands({
    client,
    screen,
    view: () => view,
    show,
    pastes,
    toSentence,
    leave: () => over.resolve(0),
  });
  screen.editor.setAutocompleteProvider(
    createCompletion({ client, session: () => view.id(), skills: commands.skills }),
  );
  for (const text of history.entries()) screen.editor.addToHistory(text);
  screen.editor.onPaste = pastes.take;
  screen.editor.onSend = ({ text, isPrivate }) => {
    if (text.trim() !== "" && !isPrivate) {
      screen.editor.addToHistory(text);
      history.add(text);
    }
    void commands.obey(text, { isPrivate }).catch((error: unknown) => screen.note(toSentence(error), theme.bad));
  };
  const removeKeys = handleKeys({
    screen,
    view: () => view,
    steer: commands.steer,
    leave: () => over.resolve(0),
    suspend: () => suspend(screen),
    toSentence,
  });

  const onSignal = (signal: keyof typeof SIGNALS) => over.resolve(SIGNALS[signal]);
  const signals = Object.keys(SIGNALS) as (keyof typeof SIGNALS)[];
  for (const signal of signals) process.on(signal, onSignal);
  process.on("uncaughtException", fail);
  process.on("unhandledRejection", fail);

  screen.setStatus({ model: options.model });
  screen.note(`Talaria ${options.version}, ${options.model}. /help lists the commands, @ names a file, Ctrl-D leaves.`);
  screen.start();
  void showModel(undefined);
  if (options.open === "pick") void commands.pickSession();
  else if ("session" in options.open) show(options.open.session).catch(fail);
  try {
    return await over.promise;
  } finally {
    removeKeys();
    const unsent = [...view.unsent(), ...(screen.editor.isEmpty() ? [] : [screen.editor.readWhole()])];
    const goesOn = view.isBusy() || view.waitsFor() !== null;
    view.close();
    screen.stop();
    for (const signal of signals) process.off(signal, onSignal);
    process.off("uncaughtException", fail);
    process.off("unhandledRejection", fail);
    sayGoodbye(unsent, goesOn);
  }

  /** The model of the session, and its window, for the share of the context that is used. `undefined`: the default. */
  async function showModel(chosen: string | undefined): Promise<void> {
    screen.setStatus({ model: chosen ?? options.model });
    models ??= client.models().catch(() => []);
    const found = (await models).find(({ name, isDefault }) => (chosen === undefined ? isDefault : name === chosen));
    screen.setStatus({ window: found?.window ?? null });
  }

  function sayGoodbye(unsent: string[], goesOn: boolean): void {
    const lines = [
      ...(fault === undefined ? [] : [toSentence(fault)]),
      ...unsent.map((text) => `Not sent: ${text}`),
      ...(goesOn ? ["The turn goes on at the server, and so does what waits behind it."] : []),
      ...(view.hasTurns() ? [`To continue: ${options.command} --session ${view.id()}`] : []),
    ];
    if (lines.length > 0) process.stderr.write(`${lines.join("\n")}\n`);
  }
}
