// Chats of a channel: to what the agent listens there, and which one is home.
import { Badge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { Section } from "../components/page.tsx";
import { Listed, MoreButton } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import { useAction } from "../components/use-action.ts";
import { type Answer, call } from "../data/api.ts";
import { useList } from "../data/list.ts";
import { may } from "../data/sign-in.ts";
import { hrefOf } from "../pages.ts";
import type { Platform } from "./platform.ts";

type Chat = Answer<"GET /v1/channels/{platform}/chats">["chats"][number];

export function ChannelChats({ platform }: { platform: Platform["platform"] }) {
  const chats = useList(
    "GET /v1/channels/{platform}/chats",
    { params: { platform }, query: { limit: "100" } },
    (answer) => answer.chats,
  );
  const saving = useAction();
  const patch = (chat: string, body: { listen?: Chat["listen"]; home?: boolean }) =>
    saving.run(async () => {
      await call("PATCH /v1/channels/{platform}/chats/{chat}", { params: { platform, chat }, body });
      await chats.reload();
    }, "Saved.");
  return (
    <Section title="Chats">
      <Listed of={chats} empty={<p class="muted">Nobody has written there yet.</p>}>
        {(items) => (
          <ul class="rows" aria-label="Chats">
            {items.map(({ id, title, kind, session, lastIn, listen, home }) => (
              <li key={id} class="row">
                <div class="row-main">
                  {session === null ? (
                    <span class="clip" dir="auto">
                      {title ?? id}
                    </span>
                  ) : (
                    <a class="clip" dir="auto" href={hrefOf("chat", session)}>
                      {title ?? id}
                    </a>
                  )}
                  <span class="muted small">
                    {kind === "direct" ? "Direct" : "Group"}, last message <Time at={lastIn} />
                  </span>
                </div>
                <div class="row-side">
                  {home && <Badge tone="accent">Home</Badge>}
                  {may("admin") && (
                    <>
                      <select
                        class="input input-small"
                        aria-label={`What it listens to in ${title ?? id}`}
                        value={listen}
                        onChange={(event) => patch(id, { listen: event.currentTarget.value as Chat["listen"] })}
                      >
                        <option value="mention">when mentioned</option>
                        <option value="all">everything</option>
                        <option value="off">nothing</option>
                      </select>
                      {!home && (
                        <Button kind="quiet" onClick={() => patch(id, { home: true })}>
                          Make it home
                        </Button>
                      )}
                    </>
                  )}
                </div>
              </li>
            ))}
          </ul>
        )}
      </Listed>
      <MoreButton of={chats} />
    </Section>
  );
}
