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
        <img src="/icon.svg" alt="" width="22" height="22" />
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
