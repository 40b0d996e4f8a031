// The head of a conversation: its title, where it comes from, a new chat, and the panel beside it.
import { useEffect } from "preact/hooks";
import { Badge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { Icon } from "../components/icon.tsx";
import { isPanelOpen, showPanel } from "../data/preferences.ts";
import { hrefOf } from "../pages.ts";
import type { SessionView } from "./session/session-view.ts";

const KINDS = { delegated: "Delegated", webhook: "Webhook", card: "Card", job: "Job", chat: "" };

export function ChatHead({ view }: { view: SessionView | null }) {
  const detail = view?.detail.value;
  const title = view === null ? "New chat" : detail?.title || "Chat";
  useEffect(() => {
    document.title = `${title} · Talaria`;
  }, [title]);
  const origin = detail?.branchedFrom?.at(-1);
  const kind = KINDS[detail?.kind ?? "chat"];
  return (
    <header class="chat-head">
      <h1 class="clip" dir="auto" title={title}>
        {title}
      </h1>
      {kind !== "" && <Badge>{kind}</Badge>}
      {detail?.learning === "off" && <Badge>Does not learn</Badge>}
      {detail?.backend === "host" && <Badge tone="warn">Real machine</Badge>}
      {detail?.parent && (
        <a class="small" href={hrefOf("chat", detail.parent)}>
          Began in another session
        </a>
      )}
      {origin && (
        <a class="small" href={hrefOf("chat", origin.session, origin.turn)}>
          <Icon name="branch" /> Branch
        </a>
      )}
      <span class="grow" />
      {view && (
        <>
          <Button kind="quiet" icon="plus" onClick={() => (location.hash = hrefOf("chat"))}>
            New chat
          </Button>
          <Button
            kind="quiet"
            icon="file"
            aria-expanded={isPanelOpen.value}
            onClick={() => showPanel(!isPanelOpen.value)}
          >
            Files and details
          </Button>
        </>
      )}
    </header>
  );
}
