// Panels above the editor: the answers to a question of a turn, a list to choose from, a yes or no. They take keys while the editor is
// empty, so that a typed text is never taken for a choice. Used by the session view and by commands.
import { SelectList, matchesKey, truncateToWidth } from "@earendil-works/pi-tui";
import type { Panel } from "./screen.ts";
import { clean, wrapRows } from "./lines.ts";
import type { Theme } from "./theme.ts";

export interface Choice {
  /** One word or digit that picks it, beside its number. */
  key?: string;
  label: string;
}

export interface ChoicePanelOptions {
  title: string;
  choices: Choice[];
  /** Several may be picked: space marks one, Enter sends them. */
  several?: boolean;
  /** A number or letter only moves to its choice, and Enter confirms it: the beginning of a sentence must not decide. */
  confirms?: boolean;
  hint: string;
  theme: Theme;
  /** Places from 0. */
  onChoose(places: number[]): void;
  /** Keys go to the editor for so long: somebody may be typing when the panel appears. */
  quietMs?: number;
  clock?: () => number;
  onChange(): void;
}

const QUIET_MS = 400;

export function createChoicePanel(options: ChoicePanelOptions): Panel {
  const { title, choices, several = false, confirms = false, theme, clock = Date.now, quietMs = QUIET_MS } = options;
  const begun = clock();
  const marked = new Set<number>();
  let at = 0;

  function choose(place: number): true {
    if (several) {
      if (!marked.delete(place)) marked.add(place);
      options.onChange();
    } else if (confirms) {
      at = place;
      options.onChange();
    } else options.onChoose([place]);
    return true;
  }

  return {
    render(width) {
      const rows = choices.map(({ label, key }, place) => {
        const mark = several ? (marked.has(place) ? "[x] " : "[ ] ") : "";
        const letter = key === undefined ? "" : ` (${key})`;
        const line = `${place === at ? "❯" : " "} ${place + 1}. ${mark}${clean(label)}${letter}`;
        return wrapRows(place === at ? theme.accent(line) : line, width).slice(0, 3);
      });
      return [
        ...wrapRows(theme.strong(clean(title)), width),
        ...rows.flat(),
        ...wrapRows(theme.faint(options.hint), width),
      ];
    },
    handleKey(data) {
      if (clock() - begun < quietMs) return false;
      if (matchesKey(data, "up")) at = (at + choices.length - 1) % choices.length;
      else if (matchesKey(data, "down")) at = (at + 1) % choices.length;
      else if (matchesKey(data, "enter")) {
        if (several && marked.size > 0) options.onChoose([...marked].toSorted((a, b) => a - b));
        else options.onChoose([at]);
        return true;
      } else if (several && data === " ") return choose(at);
      else {
        const place = /^[1-9]$/.test(data) ? Number(data) - 1 : choices.findIndex(({ key }) => key === data);
        return place >= 0 && place < choices.length ? choose(place) : false;
      }
      options.onChange();
      return true;
    },
  };
}

export interface ListItem {
  value: string;
  label: string;
  description: string;
}

export interface ListPanelOptions {
  title: string;
  items: ListItem[];
  theme: Theme;
  onChoose(value: string): void;
  onCancel(): void;
  onChange(): void;
}

const LIST_ROWS = 12;

/** A list with arrow keys; typed letters narrow it. */
export function createListPanel({ title, items, theme, onChoose, onCancel, onChange }: ListPanelOptions): Panel {
  let filter = "";
  let list = makeList();

  /** `null`: nothing fits what is typed. */
  function makeList(): SelectList | null {
    const words = filter.toLowerCase().split(/\s+/);
    const found = items.filter(({ label, description }) => {
      const text = `${label} ${description}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    if (found.length === 0) return null;
    const made = new SelectList(found, LIST_ROWS, theme.list, { minPrimaryColumnWidth: 30, maxPrimaryColumnWidth: 56 });
    made.onSelect = ({ value }) => onChoose(value);
    made.onCancel = onCancel;
    return made;
  }

  return {
    render(width) {
      const typed = filter === "" ? theme.faint("type to narrow") : clean(filter);
      const head = truncateToWidth(`${theme.strong(clean(title))}  ${typed}`, width);
      return [
        head,
        ...(list?.render(width) ?? ["  Nothing fits."]),
        theme.faint("↑↓ choose · Enter opens · Esc closes"),
      ];
    },
    handleKey(data) {
      if (/^[\x20-\x7e]+$/.test(data) || /^\p{L}+$/u.test(data)) filter += data;
      else if (matchesKey(data, "backspace")) filter = [...filter].slice(0, -1).join("");
      else {
        if (list) list.handleInput(data);
        else if (matchesKey(data, "escape")) onCancel();
        onChange();
        return true;
      }
      list = makeList();
      onChange();
      return true;
    },
  };
}
