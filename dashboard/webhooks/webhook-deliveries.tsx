// What came in by a webhook, and what was sent to an address: the last 30 days, newest first.
import type { ComponentChildren } from "preact";
import { Badge, type StateWord } from "../components/badge.tsx";
import { countOf } from "../components/numbers.ts";
import { Empty, Listed } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import { WindowedList } from "../components/windowed-list.tsx";
import type { Answer } from "../data/api.ts";
import { type List, useList } from "../data/list.ts";
import { hrefOf } from "../pages.ts";

const ROW_PX = 56;
type InState = Answer<"GET /v1/webhooks/{webhook}/deliveries">["deliveries"][number]["state"];
type OutState = Answer<"GET /v1/hooks/{hook}/deliveries">["deliveries"][number]["state"];

const IN_STATES: Record<InState, StateWord> = {
  waiting: { tone: "warn", name: "Waiting" },
  posted: { tone: "good", name: "Given to a session" },
  joined: { tone: "plain", name: "Joined to another" },
  delivered: { tone: "good", name: "Delivered" },
  ignored: { tone: "plain", name: "Ignored" },
  failed: { tone: "bad", name: "Failed" },
};
const OUT_STATES: Record<OutState, StateWord> = {
  waiting: { tone: "warn", name: "Waiting" },
  delivered: { tone: "good", name: "Delivered" },
  failed: { tone: "bad", name: "Failed" },
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
        state: IN_STATES[state],
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
        more: error ?? countOf(attempts.length, "attempt"),
        state: OUT_STATES[state],
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
    state: StateWord;
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
                    <Badge tone={state.tone}>{state.name}</Badge>
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
