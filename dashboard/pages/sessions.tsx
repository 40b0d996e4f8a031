// Sessions: every conversation of the profile by kind, found by its words, renamed, exported and deleted.
import { useEffect, useState } from "preact/hooks";
import { Page as Frame, Tabs } from "../components/page.tsx";
import { Empty, Listed } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import { WindowedList } from "../components/windowed-list.tsx";
import type { Answer } from "../data/api.ts";
import { useList } from "../data/list.ts";
import { type PageProps, hrefOf } from "../pages.ts";
import { SearchResults } from "../sessions/search-results.tsx";
import { SessionActions } from "../sessions/session-actions.tsx";

const KINDS = [
  { kind: "chat", name: "Chats", of: "Chat" },
  { kind: "job", name: "Jobs", of: "Job" },
  { kind: "card", name: "Cards", of: "Card" },
  { kind: "delegated", name: "Delegated", of: "Delegated" },
  { kind: "webhook", name: "Webhooks", of: "Webhook" },
  { kind: "all", name: "All", of: "" },
] as const;

type Kind = (typeof KINDS)[number];

const EMPTY: Record<Kind["kind"], { title: string; href: string; action: string }> = {
  chat: { title: "No chats yet", href: "#/chat", action: "Start a chat" },
  job: { title: "No job has run yet", href: "#/jobs", action: "Set a job" },
  card: { title: "No card has been worked on yet", href: "#/board", action: "Open the board" },
  delegated: { title: "No work was handed to a session of its own yet", href: "#/chat", action: "Start a chat" },
  webhook: { title: "No webhook has begun a session yet", href: "#/webhooks", action: "Set up a webhook" },
  all: { title: "No sessions yet", href: "#/chat", action: "Start a chat" },
};

const ROW_PX = 52;
/** The search starts after this pause in typing. */
const TYPING_MS = 250;

export function Page({ rest: [given = "chat"] }: PageProps) {
  const kind = KINDS.find((one) => one.kind === given) ?? KINDS[0];
  const [words, setWords] = useState("");
  const searched = useSettled(words.trim());
  const tabs = KINDS.map((one) => ({ name: one.name, href: hrefOf("sessions", one.kind), isCurrent: one === kind }));
  return (
    <Frame
      title="Sessions"
      lead="Every conversation: yours, and those that jobs, cards and webhooks began."
      tabs={searched === "" && <Tabs label="Kinds of sessions" tabs={tabs} />}
      actions={
        <a class="button button-primary" href="#/chat">
          New chat
        </a>
      }
    >
      <div class="toolbar" role="search">
        <input
          class="input grow"
          type="search"
          aria-label="Search in all messages"
          placeholder="Search in all messages"
          dir="auto"
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
      </div>
      {searched === "" ? <SessionList key={kind.kind} kind={kind} /> : <SearchResults words={searched} />}
    </Frame>
  );
}

function SessionList({ kind: { kind, name } }: { kind: Kind }) {
  const list = useList("GET /v1/sessions", { query: { kind, limit: "100" } }, ({ sessions }) => sessions);
  const { title: nothing, href, action } = EMPTY[kind];
  return (
    <>
      <Listed
        of={list}
        empty={
          <Empty icon="chat" title={nothing}>
            <a class="button" href={href}>
              {action}
            </a>
          </Empty>
        }
      >
        {(items) => (
          <WindowedList
            label={name}
            items={items}
            rowHeight={ROW_PX}
            keyOf={({ session }) => session}
            onEnd={list.more}
            row={({ session, title, createdAt, kind: of = "chat" }) => (
              <div class="row">
                <div class="row-main">
                  <a class="clip" dir="auto" href={hrefOf("chat", session)}>
                    {title || "Untitled"}
                  </a>
                  <span class="muted small">
                    {kind === "all" && `${KINDS.find((one) => one.kind === of)?.of}, `}
                    <Time at={createdAt} />
                  </span>
                </div>
                <div class="row-side">
                  <SessionActions
                    session={session}
                    title={title}
                    onChange={(changed) => list.update((items) => applyChange(items, session, changed))}
                  />
                </div>
              </div>
            )}
          />
        )}
      </Listed>
    </>
  );
}

type Item = Answer<"GET /v1/sessions">["sessions"][number];

/** The list after a session got another title, or was deleted (`null`). */
export function applyChange(items: Item[], session: string, title: string | null): Item[] {
  if (title === null) return items.filter((item) => item.session !== session);
  return items.map((item) => (item.session === session ? { ...item, title } : item));
}

/** The value, once it has not changed for a moment. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), value === "" ? 0 : TYPING_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
