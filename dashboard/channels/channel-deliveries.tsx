// What was sent to chats in the last 30 days, and what was not.
import { Badge } from "../components/badge.tsx";
import { countOf } from "../components/numbers.ts";
import { Empty, Listed } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import { WindowedList } from "../components/windowed-list.tsx";
import { useList } from "../data/list.ts";
import { hrefOf } from "../pages.ts";

const STATES = {
  sent: { tone: "good", name: "Sent" },
  silent: { tone: "plain", name: "Not sent: silent" },
  waiting: { tone: "warn", name: "Waiting" },
  held: { tone: "warn", name: "Held" },
  dropped: { tone: "bad", name: "Dropped" },
  failed: { tone: "bad", name: "Failed" },
} as const;
const ROW_PX = 56;

export function ChannelDeliveries() {
  const list = useList("GET /v1/deliveries", { query: { limit: "100" } }, ({ deliveries }) => deliveries);
  return (
    <>
      <Listed
        of={list}
        empty={
          <Empty icon="channel" title="Nothing was sent yet">
            <a class="button" href="#/channels">
              Set up a channel
            </a>
          </Empty>
        }
      >
        {(items) => (
          <WindowedList
            label="Deliveries"
            items={items}
            rowHeight={ROW_PX}
            keyOf={({ id }) => id}
            onEnd={list.more}
            row={({ platform, kind, session, turn, state, at, attempts, error }) => (
              <div class="row">
                <div class="row-main">
                  <span class="clip">
                    {platform}:{" "}
                    {session === undefined ? (
                      kind
                    ) : (
                      <a href={hrefOf("chat", session, ...(turn === undefined ? [] : [turn]))}>{kind}</a>
                    )}
                  </span>
                  <span class="muted small clip" dir="auto">
                    <Time at={at} />, {countOf(attempts, "attempt")}
                    {error && `. ${error.message}`}
                  </span>
                </div>
                <div class="row-side">
                  <Badge tone={STATES[state].tone}>{STATES[state].name}</Badge>
                </div>
              </div>
            )}
          />
        )}
      </Listed>
    </>
  );
}
