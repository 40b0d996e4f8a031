// Light, dark, or as the system has it. In the navigation, and on the page of settings where the window is narrow.
import { type Theme, chooseTheme, theme } from "../data/preferences.ts";
import { Icon } from "./icon.tsx";

const THEMES: { value: Theme; name: string }[] = [
  { value: "system", name: "System" },
  { value: "light", name: "Light" },
  { value: "dark", name: "Dark" },
];

export function ThemeChoice() {
  return (
    <label class="theme-choice">
      <Icon name="sun" />
      <span class="visually-hidden">Colours</span>
      <select
        class="input input-small"
        value={theme.value}
        onChange={(event) => chooseTheme(event.currentTarget.value as Theme)}
      >
        {THEMES.map(({ value, name }) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
