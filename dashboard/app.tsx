// The frame of every page: sign-in before all, then the navigation beside the page that the address names.
import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect, useErrorBoundary, useRef } from "preact/hooks";
import { useHashLocation } from "wouter-preact/use-hash-location";
import { Confirmations } from "./components/dialog.tsx";
import { keepFocus } from "./components/keep-focus.ts";
import { useKeptPlace } from "./components/keep-place.ts";
import { Failure, Loading } from "./components/states.tsx";
import { Navigation } from "./components/navigation.tsx";
import { Page } from "./components/page.tsx";
import { Toasts } from "./components/toasts.tsx";
import { loadSignIn, signIn } from "./data/sign-in.ts";
import { type PageEntry, type PageProps, findPage, splitLocation } from "./pages.ts";
import { SignInLink } from "./sign-in-link.tsx";
import { SignInPage } from "./sign-in-page.tsx";

export function App() {
  const [location] = useHashLocation();
  const [slug, ...rest] = splitLocation(location);
  const signedIn = signIn.value;
  const { state } = signedIn;
  // Side by side with the question who is signed in.
  const entry = findPage(slug);
  if (entry) loadPage(entry);
  if (slug === "sign-in" && rest[0] !== undefined) return <SignInLink key={rest[0]} code={rest[0]} />;
  if (state === "unknown") return <Loading />;
  if (signedIn.state === "away") return <Away error={signedIn.error} />;
  if (state === "out") return <SignInPage />;
  return <Shell location={location} entry={entry} rest={rest} />;
}

function Away({ error }: { error: unknown }) {
  return (
    <main class="sign-in">
      <div class="sign-in-card">
        <h1>Talaria</h1>
        <Failure error={error} retry={() => void loadSignIn()} />
        <p class="muted">It is asked again every few seconds. You stay signed in.</p>
      </div>
    </main>
  );
}

function Shell({ location, entry, rest }: { location: string; entry: PageEntry | undefined; rest: string[] }) {
  const shell = useRef<HTMLDivElement>(null);
  const main = useRef<HTMLElement>(null);
  const previous = useRef(entry);
  useEffect(() => keepFocus(shell.current!), []);
  useKeptPlace(main, location);
  // After a change of page the keyboard and the screen reader go on at its beginning, unless the page has chosen a field.
  useEffect(() => {
    if (previous.current === entry) return;
    previous.current = entry;
    if (!main.current?.contains(document.activeElement)) main.current?.focus();
    main.current?.scrollTo(0, 0);
  }, [entry]);
  const skip = (event: Event) => {
    event.preventDefault();
    main.current?.focus();
  };
  return (
    <div class="shell" ref={shell}>
      <a class="skip-link" href="#main" onClick={skip}>
        Skip to the content
      </a>
      <Navigation current={entry?.slug} />
      <main id="main" class="main" tabIndex={-1} ref={main}>
        {entry ? <LoadedPage key={entry.slug} entry={entry} rest={rest} /> : <NotFound />}
      </main>
      <Toasts />
      <Confirmations />
    </div>
  );
}

/** Code of pages that has arrived, or why it has not. */
const loaded = signal<Record<string, ComponentType<PageProps> | Error>>({});
const requested = new Set<string>();

function loadPage({ slug, load }: PageEntry): void {
  if (requested.has(slug)) return;
  requested.add(slug);
  load().then(
    ({ Page: component }) => {
      loaded.value = { ...loaded.peek(), [slug]: component };
    },
    () => {
      requested.delete(slug);
      const error = new Error("This page could not be loaded. The server may be away, or has a newer version.");
      loaded.value = { ...loaded.peek(), [slug]: error };
    },
  );
}

function LoadedPage({ entry, rest }: { entry: PageEntry; rest: string[] }) {
  const component = loaded.value[entry.slug];
  // A fault of one page leaves the navigation and the other pages whole, and one part of a page leaves the others.
  const [broken, forget] = useErrorBoundary((error: unknown) => console.error(error)) as [unknown, () => void];
  useEffect(forget, [rest.join("/")]);
  if (broken !== undefined) return <Failure error={broken} retry={forget} />;
  if (component === undefined) return <Loading />;
  if (component instanceof Error) return <Failure error={component} retry={() => location.reload()} />;
  const Component = component;
  return <Component rest={rest} />;
}

function NotFound() {
  return (
    <Page title="No such page">
      <p>
        This address names no page. <a href="#/chat">Go to Chat</a>
      </p>
    </Page>
  );
}
