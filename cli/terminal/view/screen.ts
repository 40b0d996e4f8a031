// The screen of the terminal from top to bottom: transcript, waiting messages, a panel (a question or a list), the sign of work, the
// editor, the status line. Owns pi-tui. Used by the session view, which says what each part shows.
import { Container, type Terminal, TuiMainScreen, setCapabilities, truncateToWidth } from "@earendil-works/pi-tui";
import { PromptEditor } from "../input/prompt-editor.ts";
import { FreeRows, clean, wrapRows } from "./lines.ts";
import { type Activity, FRAME_MS, type Status, renderActivity, renderStatus } from "./status.ts";
import type { Theme } from "./theme.ts";
import { createTranscript } from "./transcript.ts";

/** Something above the editor that takes keys while the editor is empty. */
export interface Panel {
  render(width: number): string[];
  /** True: the key was for the panel. */
  handleKey(data: string): boolean;
}

export interface WaitingLine {
  /** Such as `queued`, `sending` or `not sent`. */
  state: string;
  text: string;
  isBad: boolean;
}

export type Screen = ReturnType<typeof createScreen>;

export function createScreen(terminal: Terminal, theme: Theme, clock: () => number = Date.now) {
  // No images and no hyperlinks: a link whose text hides its address could come from a page that the agent read.
  setCapabilities({ images: null, trueColor: false, hyperlinks: false });
  const tui = new TuiMainScreen(terminal);
  const transcript = createTranscript(theme);
  const editor = new PromptEditor(tui, theme);
  let status: Status = { model: "", context: null, window: null, tokens: 0, usd: 0, ms: 0, session: null };
  let activity: Activity = { kind: "idle" };
  let waiting: WaitingLine[] = [];
  let panel: Panel | null = null;
  let ticker: NodeJS.Timeout | undefined;

  const lower = new Container();
  for (const make of [renderWaiting, renderPanel, renderSign]) lower.addChild({ render: make, invalidate() {} });
  tui.addChild(transcript.component);
  tui.addChild(lower);
  tui.addChild(editor);
  tui.addChild({ render: (width) => renderStatus(status, width, theme), invalidate() {} });
  tui.setFocus(editor);

  function renderWaiting(width: number): string[] {
    const rows = waiting.flatMap(({ state, text, isBad }) => {
      const [first = "", ...more] = clean(text).split("\n");
      const line = `⧗ ${state}: ${first}${more.length > 0 ? ` (+${more.length} lines)` : ""}`;
      return wrapRows((isBad ? theme.warn : theme.faint)(line), width).slice(0, 2);
    });
    return rows.length > 0 ? ["", ...rows] : [];
  }

  function renderPanel(width: number): string[] {
    if (panel === null) return [];
    const rows = ["", ...new FreeRows((room) => panel!.render(room)).render(width)];
    if (!editor.isEmpty())
      rows.push(truncateToWidth(theme.warn("Keys go to the line below: Ctrl-C clears it."), width));
    return rows;
  }

  function renderSign(width: number): string[] {
    return ["", ...renderActivity(activity, clock(), width, theme)];
  }

  const draw = () => tui.requestRender();

  return {
    tui,
    editor,
    transcript,
    theme,
    draw,
    status: () => status,
    setStatus(change: Partial<Status>): void {
      status = { ...status, ...change };
      draw();
    },
    setActivity(next: Activity): void {
      activity = next;
      clearInterval(ticker);
      if (next.kind !== "idle") ticker = setInterval(draw, FRAME_MS).unref();
      draw();
    },
    setWaiting(lines: WaitingLine[]): void {
      waiting = lines;
      draw();
    },
    panel: () => panel,
    setPanel(next: Panel | null): void {
      panel = next;
      draw();
    },
    note(text: string, style?: (text: string) => string): void {
      transcript.addNote(text, style);
      draw();
    },
    page(text: string): void {
      transcript.addPage(text);
      draw();
    },
    /** Also after a pause. */
    start(): void {
      tui.start();
      tui.requestRender(true);
    },
    /** Gives the terminal back for a while. */
    pause: () => tui.stop(),
    /** Leaves the transcript on the terminal and gives the terminal back. May be called twice. */
    stop(): void {
      clearInterval(ticker);
      tui.stop();
    },
  };
}
