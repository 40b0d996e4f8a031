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

function readTheme(): Theme {
  try {
    const kept = localStorage.getItem(THEME);
    return kept === "light" || kept === "dark" ? kept : "system";
  } catch {
    return "system";
  }
}
