// Changes of skills and memory that wait for a person: what each changes, why it waits, and the decision.
import { useEffect, useRef } from "preact/hooks";
import { Badge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { Section } from "../components/page.tsx";
import { ScopeNote } from "../components/scope-note.tsx";
import { Empty, Loaded } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import { UnifiedDiff } from "../components/unified-diff.tsx";
import { useAction } from "../components/use-action.ts";
import { change, useResource } from "../data/resource.ts";
import { may } from "../data/sign-in.ts";
import { hrefOf } from "../pages.ts";
import { DECISIONS, ORIGINS, type PendingChange, WAIT_REASONS } from "./words.ts";

/** Reviews add changes while the page is open. */
const EVERY_MS = 30_000;
/** What an approved change may have changed. */
const AFFECTED = ["/v1/pending", "/v1/skills", "/v1/memory", "/v1/learning"];

export function useWaiting() {
  const list = useResource("GET /v1/pending", { query: {} }, { every: EVERY_MS });
  return { list, waiting: list.value?.pending.filter(({ state }) => state === "waiting") ?? [] };
}

/** `chosen`: the id of a change that the address names, which may be decided already. */
export function Waiting({ chosen }: { chosen: string | undefined }) {
  const { list, waiting } = useWaiting();
  const head = useRef<HTMLHeadingElement>(null);
  return (
    <Loaded of={list}>
      {({ pending }) => {
        const decided = pending.filter(({ state }) => state !== "waiting").toReversed();
        return (
          <>
            <ScopeNote scope="write" to="decide" />
            <h2 class="visually-hidden" tabIndex={-1} ref={head}>
              {waiting.length === 0 ? "Nothing waits" : `${waiting.length} waiting`}
            </h2>
            {waiting.length === 0 && (
              <Empty icon="check" title="Nothing waits for you">
                <p>Changes wait here when only a file or a page said them, or when you asked to approve each one.</p>
                <a class="button" href={hrefOf("learning", "journey")}>
                  See what was learned
                </a>
              </Empty>
            )}
            {waiting.map((one) => (
              <WaitingChange
                key={one.id}
                change={one}
                isChosen={one.id === chosen}
                onDecided={() => head.current?.focus()}
              />
            ))}
            {decided.length > 0 && (
              <Section title="Decided">
                <ul class="items" aria-label="Decided changes">
                  {decided.map((one) => (
                    <li key={one.id}>
                      <Decided change={one} isChosen={one.id === chosen} />
                    </li>
                  ))}
                </ul>
              </Section>
            )}
          </>
        );
      }}
    </Loaded>
  );
}

interface ChangeProps {
  change: PendingChange;
  isChosen: boolean;
}

function WaitingChange({ change: one, isChosen, onDecided }: ChangeProps & { onDecided(): void }) {
  const { id, summary, reason, why, seen, tool } = one;
  const action = useAction();
  const decide = (approve: boolean) =>
    action.run(
      async () => {
        await change("POST /v1/pending/{pending}", { params: { pending: id }, body: { approve } }, AFFECTED);
        onDecided();
      },
      approve ? "Approved. The change was made." : "Rejected. Nothing was changed.",
    );
  const article = useScrolledTo(isChosen);
  return (
    <article class="panel stack" aria-labelledby={`change-${id}`} ref={article}>
      <div class="item-head">
        <h3 class="item-text sentence" id={`change-${id}`} dir="auto">
          {summary}
        </h3>
        <Badge tone={WAIT_REASONS[reason].tone}>{WAIT_REASONS[reason].name}</Badge>
      </div>
      <p dir="auto">{why}</p>
      <ChangeFacts change={one} />
      <ChangeDiff id={id} name={seen?.skill ?? (tool === "memory" ? "memory" : "a skill")} />
      {may("write") && (
        <div class="form-actions">
          <Button kind="primary" icon="check" isBusy={action.isBusy} onClick={() => decide(true)}>
            Approve
          </Button>
          <Button icon="close" isBusy={action.isBusy} onClick={() => decide(false)}>
            Reject
          </Button>
        </div>
      )}
    </article>
  );
}

function ChangeFacts({ change: { origin, askedAt, decidedAt, seen, session } }: { change: PendingChange }) {
  return (
    <p class="item-facts">
      <span>Asked for by {ORIGINS[origin]}</span>
      <Time at={decidedAt ?? askedAt} />
      {seen &&
        (seen.seq > 0 ? <a href={hrefOf("skills", seen.skill)}>{seen.skill}</a> : <span>New skill {seen.skill}</span>)}
      {session !== undefined && <a href={hrefOf("chat", session)}>Open the conversation</a>}
    </p>
  );
}

function ChangeDiff({ id, name }: { id: string; name: string }) {
  const detail = useResource("GET /v1/pending/{pending}", { params: { pending: id } });
  return (
    <Loaded of={detail}>
      {({ diff, now }) => (
        <>
          <UnifiedDiff name={name} diff={diff} />
          {now !== undefined && (
            <>
              <p class="muted">The text has changed since. Now it would be:</p>
              <UnifiedDiff name={`${name}, now`} diff={now} />
            </>
          )}
        </>
      )}
    </Loaded>
  );
}

function Decided({ change: one, isChosen }: ChangeProps) {
  const { id, summary, state, outcome, seen } = one;
  const row = useScrolledTo(isChosen);
  return (
    <div class="stack" ref={row}>
      <div class="item-head">
        <p class="item-text sentence" dir="auto">
          {summary}
        </p>
        <Badge tone={DECISIONS[state].tone}>{DECISIONS[state].name}</Badge>
      </div>
      <ChangeFacts change={one} />
      {state === "stale" && outcome !== null && <p dir="auto">{outcome}</p>}
      {isChosen && <ChangeDiff id={id} name={seen?.skill ?? "memory"} />}
    </div>
  );
}

function useScrolledTo(isChosen: boolean) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isChosen) element.current?.scrollIntoView({ block: "center" });
  }, [isChosen]);
  return element;
}
