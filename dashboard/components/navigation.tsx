// The navigation: a column at the left, and a strip above the page where the window is narrow.
import { GROUPS, hrefOf } from "../pages.ts";
import { type Theme, chooseTheme, theme } from "../data/preferences.ts";
import { signIn, signOut } from "../data/sign-in.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";
import { toastError } from "./toasts.tsx";

export function Navigation({ current }: { current: string | undefined }) {
  return (
    <div class="side">
      <a class="brand" href="#/chat" aria-label="Talaria: a new chat">
        <img src="/icon.svg" alt="" width="22" height="22" />
        <span>Talaria</span>
      </a>
      <nav class="nav" aria-label="Pages">
        {GROUPS.map(({ name, pages }) => (
          <ul key={name} aria-label={name}>
            {pages.map(({ slug, name: label, icon }) => (
              <li key={slug}>
                <a href={hrefOf(slug)} aria-current={current === slug ? "page" : undefined}>
                  <Icon name={icon} />
                  {label}
                </a>
              </li>
            ))}
          </ul>
        ))}
      </nav>
      <div class="side-foot">
        <ThemeChoice />
        {signIn.value.state === "in" && signIn.value.byCookie && (
          <Button kind="quiet" icon="leave" label="Sign out" onClick={() => void signOut().catch(toastError)} />
        )}
      </div>
    </div>
  );
}

const THEMES: { value: Theme; name: string }[] = [
  { value: "system", name: "As the system" },
  { value: "light", name: "Light" },
  { value: "dark", name: "Dark" },
];

function ThemeChoice() {
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
