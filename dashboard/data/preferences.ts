// What this browser remembers of how the page looks. The only file that uses the browser's storage, and never for a secret.
import { signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";
const THEME = "talaria.theme";

export const theme = signal<Theme>(readTheme());

export function chooseTheme(chosen: Theme): void {
  theme.value = chosen;
  applyTheme();
  try {
    localStorage.setItem(THEME, chosen);
  } catch {
    // A browser may keep nothing: the choice then lasts until the page is closed.
  }
}

/** The styles follow `data-theme`; without it, the system's setting. */
export function applyTheme(): void {
  const { dataset } = document.documentElement;
  if (theme.value === "system") delete dataset.theme;
  else dataset.theme = theme.value;
}

const PANEL = "talaria.panel";
const ROOM_FOR_PANEL_PX = 1_280;

/** Whether the files and figures of a session are shown beside it. At first where there is room. */
export const isPanelOpen = signal(readPanel());

export function showPanel(isOpen: boolean): void {
  isPanelOpen.value = isOpen;
  // On a narrow page it lies over the conversation, and is not kept.
  if (innerWidth < ROOM_FOR_PANEL_PX) return;
  try {
    localStorage.setItem(PANEL, isOpen ? "open" : "closed");
  } catch {
    // The choice lasts until the page is closed.
  }
}

/** Where there is no room beside the conversation, the panel would lie over it. Called once, at the start. */
export function watchRoom(): void {
  matchMedia(`(max-width: ${ROOM_FOR_PANEL_PX - 1}px)`).addEventListener("change", ({ matches }) => {
    isPanelOpen.value = !matches && readPanel();
  });
}

function readPanel(): boolean {
  try {
    return innerWidth >= ROOM_FOR_PANEL_PX && localStorage.getItem(PANEL) !== "closed";
  } catch {
    // No storage, or no window at all: tests in Node.
    return true;
  }
}

function readTheme(): Theme {
  try {
    const kept = localStorage.getItem(THEME);
    return kept === "light" || kept === "dark" ? kept : "system";
  } catch {
    return "system";
  }
}

/**
 * What a tab keeps over a reload and forgets when it is closed, signed out, or another profile's: a message that is being written, and messages that the server
 * does not have yet. `null` forgets it.
 */
export function keepInTab(name: string, value: string | null): void {
  try {
    if (value === null) sessionStorage.removeItem(TAB + name);
    else sessionStorage.setItem(TAB + name, value);
  } catch {
    // No room, or the browser keeps nothing: it then lasts until the page is left.
  }
}

export function readFromTab(name: string): string | null {
  try {
    return sessionStorage.getItem(TAB + name);
  } catch {
    return null;
  }
}

/** At the beginning of a sign-in: another profile finds nothing of what this one wrote. */
export function claimTab(profile: string): void {
  if (readFromTab(OWNER) === profile) return;
  forgetTab();
  keepInTab(OWNER, profile);
}

/** Somebody has signed in here, and not out. */
export function isTabClaimed(): boolean {
  return readFromTab(OWNER) !== null;
}

/** At a sign-out. */
export function forgetTab(): void {
  try {
    for (const name of Object.keys(sessionStorage)) if (name.startsWith(TAB)) sessionStorage.removeItem(name);
  } catch {
    // There is nothing to forget.
  }
}

const TAB = "talaria.tab.";
const OWNER = "owner";
