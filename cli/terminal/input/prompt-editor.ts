// The editor of the terminal: pi-tui's, which keeps tabs of a paste and tells its owner how a message was typed. Used by screen.ts.
import { Editor, type TUI, getKeybindings } from "@earendil-works/pi-tui";
import type { Theme } from "../view/theme.ts";

/** What stands for a pasted tab while it is edited: the library replaces tabs by spaces. */
const TAB_SIGN = "␉";
const PASTE_BEGIN = "\x1b[200~";
const PASTE_END = "\x1b[201~";

export interface SentText {
  text: string;
  /** It began with a space: it is not kept in the history. */
  isPrivate: boolean;
}

export class PromptEditor extends Editor {
  onSend: (sent: SentText) => void = () => {};
  /** True: the paste was taken, and the editor stays as it is. */
  onPaste: (text: string) => boolean = () => false;
  #typed = "";

  constructor(tui: TUI, theme: Theme) {
    super(tui, theme.editor, { paddingX: 1, autocompleteMaxVisible: 8 });
    this.onSubmit = (text) => {
      const isPrivate = this.#typed.startsWith(" ");
      // Spaces in front of the first line belong to its text. Completion may have changed a command as it was sent.
      const whole = this.#typed.trim() === text ? this.#typed.replace(/^\s*\n/, "").trimEnd() : text;
      this.onSend({ text: restoreTabs(isPrivate ? whole.trimStart() : whole), isPrivate });
    };
  }

  override handleInput(data: string): void {
    if (data.startsWith(PASTE_BEGIN) && data.endsWith(PASTE_END)) {
      const pasted = data.slice(PASTE_BEGIN.length, -PASTE_END.length);
      if (this.onPaste(pasted)) return;
      return super.handleInput(`${PASTE_BEGIN}${pasted.replaceAll("\t", TAB_SIGN)}${PASTE_END}`);
    }
    if (getKeybindings().matches(data, "tui.input.submit")) this.#typed = this.getExpandedText();
    super.handleInput(data);
  }

  isEmpty(): boolean {
    return this.getText() === "";
  }

  /** The typed text as it would be sent. */
  readWhole(): string {
    return restoreTabs(this.getExpandedText());
  }

  /** Puts back what was not sent, before what has been typed since. */
  putBack(text: string): void {
    const typed = this.getExpandedText();
    this.setText(typed === "" ? text : `${text}\n${typed}`);
  }
}

function restoreTabs(text: string): string {
  return text.replaceAll(TAB_SIGN, "\t");
}
