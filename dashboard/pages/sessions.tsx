// Sessions: every conversation of the profile by kind, found by its words, renamed, exported and deleted.
import { useState } from "preact/hooks";
import { Badge } from "../components/badge.tsx";
import { Page as Frame, Tabs } from "../components/page.tsx";
import { Empty, Failure, Loading } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import { WindowedList } from "../components/windowed-list.tsx";
import { useList } from "../data/list.ts";
import { type PageProps, hrefOf } from "../pages.ts";

const KINDS = [
  { kind: "chat", name: "Chats" },
  { kind: "job", name: "Jobs" },
  { kind: "card", name: "Cards" },
  { kind: "delegated", name: "Delegated" },
  { kind: "webhook", name: "Webhooks" },
  { kind: "all", name: "All" },
] as const;

const ROW_PX = 52;

export function Page({ rest: [given = "chat"] }: PageProps) {
  const { kind, name } = KINDS.find((one) => one.kind === given) ?? KINDS[0];
  const list = useList("GET /v1/sessions", { query: { kind, limit: "100" } }, ({ sessions }) => sessions);
  const [words, setWords] = useState("");
  const tabs = KINDS.map((one) => ({
    name: one.name,
    href: hrefOf("sessions", one.kind),
    isCurrent: one.kind === kind,
  }));
  return (
    <Frame
      title="Sessions"
      lead="Every conversation, with whoever or whatever began it."
      tabs={<Tabs label="Kinds of sessions" tabs={tabs} />}
    >
      <div class="toolbar" role="search">
        <input
          class="input grow"
          type="search"
          aria-label="Search in all messages"
          placeholder="Search in all messages"
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
      </div>
      {list.error !== undefined && <Failure error={list.error} retry={() => void list.reload()} />}
      {!list.isReady && <Loading />}
      {list.isReady && list.items.length === 0 && list.error === undefined && (
        <Empty icon="chat" title="No sessions yet">
          <a class="button button-primary" href="#/chat">
            Start a chat
          </a>
        </Empty>
      )}
      <WindowedList
        label={name}
        items={list.items}
        rowHeight={ROW_PX}
        keyOf={({ session }) => session}
        onEnd={list.more}
        row={({ session, title, createdAt, kind: of = "chat" }) => (
          <div class="row">
            <div class="row-main">
              <a class="clip" dir="auto" href={hrefOf("chat", session)}>
                {title || "Untitled"}
              </a>
            </div>
            <div class="row-side">
              {kind === "all" && <Badge>{of}</Badge>}
              <Time at={createdAt} />
            </div>
          </div>
        )}
      />
    </Frame>
  );
}
