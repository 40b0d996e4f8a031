// The keys that mean something beside the editor: fold, steer, stop, leave, and the keys of a panel. Used by run-terminal.ts.
import { matchesKey } from "@earendil-works/pi-tui";
import type { SessionView } from "../session-view.ts";
import type { Screen } from "../view/screen.ts";

export interface KeysOptions {
  screen: Screen;
  view(): SessionView;
  /** Puts the typed text into the running turn. */
  steer(text: string): void;
  leave(): void;
  /** Stops this program until the shell continues it. */
  suspend(): void;
  toSentence(error: unknown): string;
}

const DONE = { consume: true } as const;

/** Answers a function that ends it. */
export function handleKeys({ screen, view, steer, leave, suspend, toSentence }: KeysOptions): () => void {
  const { editor, theme, transcript } = screen;
  let isStopping = false;

  function stop(): void {
    isStopping = true;
    screen.note("(stopping)");
    view()
      .stop()
      .catch((error: unknown) => screen.note(toSentence(error), theme.bad));
  }

  /** Clears the line, else interrupts the turn, else leaves. */
  function interrupt(): void {
    if (!editor.isEmpty()) {
      const text = editor.readWhole();
      if (!text.startsWith(" ")) editor.addToHistory(text);
      editor.setText("");
      screen.draw();
    } else if (screen.panel() !== null && view().waitsFor() === null) screen.setPanel(null);
    else if ((view().isBusy() || view().waitsFor() !== null) && !isStopping) stop();
    else leave();
  }

  return screen.tui.addInputListener((data) => {
    if (!view().isBusy() && view().waitsFor() === null) isStopping = false;
    if (matchesKey(data, "ctrl+c")) {
      interrupt();
      return DONE;
    }
    if (matchesKey(data, "ctrl+d") && editor.isEmpty()) {
      leave();
      return DONE;
    }
    if (matchesKey(data, "ctrl+z")) {
      suspend();
      return DONE;
    }
    if (matchesKey(data, "ctrl+o")) {
      transcript.toggleFold();
      screen.draw();
      return DONE;
    }
    if (matchesKey(data, "alt+enter") && view().isBusy() && !editor.isEmpty()) {
      const text = editor.readWhole();
      editor.setText("");
      steer(text);
      return DONE;
    }
    const panel = screen.panel();
    const isPaste = data.startsWith("\x1b[200~");
    if (panel !== null && !isPaste && editor.isEmpty() && panel.handleKey(data)) return DONE;
    if (matchesKey(data, "escape") && !editor.isShowingAutocomplete() && view().isBusy() && !isStopping) {
      stop();
      return DONE;
    }
    return undefined;
  });
}
