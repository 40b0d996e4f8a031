// The navigation: a column at the left, and a strip above the page where the window is narrow.
import { useEffect, useRef } from "preact/hooks";
import { GROUPS, hrefOf } from "../pages.ts";
import { signIn, signOut } from "../data/sign-in.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";
import { ThemeChoice } from "./theme-choice.tsx";
import { WaitingCount } from "./waiting-count.tsx";
import { toastError } from "./toasts.tsx";

export function Navigation({ current }: { current: string | undefined }) {
  const strip = useRef<HTMLElement>(null);
  // A narrow window shows a part of the strip only.
  useEffect(() => {
    strip.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [current]);
  return (
    <header class="side">
      <a class="brand" href="#/chat" aria-label="Talaria">
        <Emblem />
        <span>Talaria</span>
      </a>
      {signIn.value.state === "in" && (
        <p class="wide-only profile-name clip" title={signIn.value.profile}>
          Profile {signIn.value.profile}
        </p>
      )}
      <nav class="nav" aria-label="Pages" ref={strip}>
        {GROUPS.map(({ name, pages }) => (
          <ul key={name} aria-label={name}>
            {pages.map(({ slug, name: label, icon }) => (
              <li key={slug}>
                <a href={hrefOf(slug)} aria-current={current === slug ? "page" : undefined}>
                  <Icon name={icon} />
                  {label}
                </a>
                {slug === "learning" && <WaitingCount />}
              </li>
            ))}
          </ul>
        ))}
      </nav>
      <div class="side-foot">
        <div class="wide-only">
          <ThemeChoice />
        </div>
        {signIn.value.state === "in" && signIn.value.byCookie && (
          <Button kind="quiet" icon="leave" label="Sign out" onClick={() => void signOut().catch(toastError)} />
        )}
      </div>
    </header>
  );
}

/** public/icon.svg, which the browser reads for its tab, without a request of its own. */
function Emblem() {
  return (
    <svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#2f5bd0" />
      <path
        d="M7 11c6-3 12-3 18-2-2 2-4 3-7 3 2 0 4 0 6 0-2 2-4 3-7 3 2 0 3 0 4 1-3 3-8 4-12 3 0 2-1 4-3 5 1-3 1-9 1-13z"
        fill="#fff"
      />
    </svg>
  );
}
