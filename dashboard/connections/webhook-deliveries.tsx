// What came in by a webhook, and what was sent to an address: the last 30 days, newest first.
import type { ComponentChildren } from "preact";
import { Badge } from "../components/badge.tsx";
import { Empty, Listed } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import { WindowedList } from "../components/windowed-list.tsx";
import { type List, useList } from "../data/list.ts";
import { hrefOf } from "../pages.ts";

const ROW_PX = 56;
type Tone = "good" | "bad" | "warn" | "plain";

const IN_STATES: Record<string, { tone: Tone; word: string }> = {
  waiting: { tone: "warn", word: "Waiting" },
  posted: { tone: "good", word: "Given to a session" },
  joined: { tone: "plain", word: "Joined to another" },
  delivered: { tone: "good", word: "Delivered" },
  ignored: { tone: "plain", word: "Ignored" },
  failed: { tone: "bad", word: "Failed" },
};
const OUT_STATES: Record<string, { tone: Tone; word: string }> = {
  waiting: { tone: "warn", word: "Waiting" },
  delivered: { tone: "good", word: "Delivered" },
  failed: { tone: "bad", word: "Failed" },
};

export function WebhookDeliveries({ webhook }: { webhook: string }) {
  const asked = { params: { webhook }, query: { limit: "100" } };
  const list = useList("GET /v1/webhooks/{webhook}/deliveries", asked, ({ deliveries }) => deliveries);
  return (
    <Deliveries
      title={`What came in by ${webhook}`}
      back="#/webhooks"
      list={list}
      keyOf={({ id }) => id}
      row={({ event, at, state, session, reason }) => ({
        name: session === undefined ? (event ?? "event") : <a href={hrefOf("chat", session)}>{event ?? "event"}</a>,
        at,
        more: reason,
        state: IN_STATES[state]!,
      })}
    />
  );
}

export function HookDeliveries({ hook }: { hook: string }) {
  const asked = { params: { hook }, query: { limit: "100" } };
  const list = useList("GET /v1/hooks/{hook}/deliveries", asked, ({ deliveries }) => deliveries);
  return (
    <Deliveries
      title="What was sent to this address"
      back="#/webhooks/out"
      list={list}
      keyOf={({ event }) => event}
      row={({ type, at, state, session, attempts, error }) => ({
        name: session === undefined ? type : <a href={hrefOf("chat", session)}>{type}</a>,
        at,
        more: error ?? `${attempts.length} ${attempts.length === 1 ? "attempt" : "attempts"}`,
        state: OUT_STATES[state]!,
      })}
    />
  );
}

interface DeliveriesProps<Item> {
  title: string;
  /** Address of the list that this one belongs to. */
  back: string;
  list: List<Item>;
  keyOf(item: Item): string;
  row(item: Item): {
    name: ComponentChildren;
    at: number;
    more?: string | undefined;
    state: { tone: Tone; word: string };
  };
}

function Deliveries<Item>({ title, back, list, keyOf, row }: DeliveriesProps<Item>) {
  return (
    <>
      <div class="section-head">
        <h2 class="clip">{title}</h2>
        <a href={back}>Back</a>
      </div>
      <Listed of={list} empty={<Empty icon="hook" title="Nothing in the last 30 days" />}>
        {(items) => (
          <WindowedList
            label={title}
            items={items}
            rowHeight={ROW_PX}
            keyOf={keyOf}
            onEnd={list.more}
            row={(item) => {
              const { name, at, more, state } = row(item);
              return (
                <div class="row">
                  <div class="row-main">
                    <span class="clip">{name}</span>
                    <span class="muted small clip" dir="auto">
                      <Time at={at} />
                      {more !== undefined && `, ${more}`}
                    </span>
                  </div>
                  <div class="row-side">
                    <Badge tone={state.tone}>{state.word}</Badge>
                  </div>
                </div>
              );
            }}
          />
        )}
      </Listed>
    </>
  );
}
