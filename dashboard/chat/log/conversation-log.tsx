// The conversation: turns, then messages on their way. It stays at its end only while the reader is there, and reads older entries when the
// reader comes to its beginning.
import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { Icon } from "../../components/icon.tsx";
import { Empty, Failure, Loading } from "../../components/states.tsx";
import { ProblemError } from "../../data/api.ts";
import { useResource } from "../../data/resource.ts";
import { hrefOf } from "../../pages.ts";
import { FileApprovals } from "./file-approvals.tsx";
import { placeLessons } from "./place-lessons.ts";
import type { OutgoingMessage } from "../session/outgoing.ts";
import type { PersonActions } from "./person-message.tsx";
import type { SessionView } from "../session/session-view.ts";
import { type TurnProps, TurnView } from "./turn-view.tsx";

/** A reader this near to the end, in px, follows it. */
const NEAR_END = 80;
/** Older entries are read when the beginning is this near. */
const NEAR_START = 600;
const REVIEWS_EVERY_MS = 30_000;

export function ConversationLog({
  view,
  marked,
  actions,
}: {
  view: SessionView;
  marked: number | null;
  actions: PersonActions;
}) {
  const { session } = view;
  const conversation = view.conversation.value;
  const messages = view.outgoing.messages.value;
  const reviews = useResource("GET /v1/reviews", { query: { session, limit: "100" } }, { every: REVIEWS_EVERY_MS });
  const lessons = useMemo(
    () => placeLessons(reviews.value?.reviews ?? [], conversation, session),
    [reviews.value, conversation.turns.length, session],
  );
  const { box, isAtEnd, toEnd, onScroll } = useStickyEnd(view, marked);
  const turnNode = useTurnNodes();
  const begun = new Set(conversation.turns.filter(({ items }) => items.length > 0).map(({ n }) => n));
  const waiting = messages.filter(({ turn }) => turn === null || (!begun.has(turn) && !conversation.into.has(turn)));
  const textOf = (turn: number) => messages.find((one) => one.turn === turn)?.text ?? null;
  const others = conversation.queued.filter((n) => !messages.some(({ turn }) => turn === n));
  const error = view.error.value;
  const isGone = error instanceof ProblemError && error.problem.status === 404;
  return (
    <div class="log-frame">
      <div class="log" role="log" aria-label="Conversation" aria-live="off" tabIndex={0} ref={box} onScroll={onScroll}>
        <div class="log-column">
          {view.hasOlder.value && (
            <p class="log-older">
              <Button isBusy={view.isLoadingOlder.value} onClick={() => void view.readOlder().catch(() => {})}>
                Show earlier turns
              </Button>
            </p>
          )}
          {isGone && (
            <Empty icon="chat" title="There is no such conversation any more">
              <a class="button button-primary" href={hrefOf("chat")}>
                Begin a new one
              </a>
            </Empty>
          )}
          {error !== undefined && !isGone && <Failure error={error} retry={() => void view.load()} />}
          {error === undefined && !view.isLoaded.value && messages.length === 0 && <Loading />}
          {conversation.turns.map((turn) =>
            turnNode({
              session,
              turn,
              textOf,
              actions,
              lessons: lessons.get(turn.n) ?? NONE,
              isMarked: turn.n === marked,
            }),
          )}
          <FileApprovals session={session} />
          {waiting.map((message) => (
            <WaitingMessage key={message.key} message={message} />
          ))}
          {others.length > 0 && (
            <p class="turn-note muted">
              {others.length === 1 ? "1 more message waits." : `${others.length} more messages wait.`}
            </p>
          )}
        </div>
      </div>
      {!isAtEnd && (
        <Button class="to-end" icon="down" onClick={toEnd}>
          Newest
        </Button>
      )}
    </div>
  );
}

const NONE: never[] = [];

/** A turn that did not change keeps its node, which Preact then skips: an answer that streams costs the same in a long conversation. */
function useTurnNodes(): (props: TurnProps) => VNode {
  const known = useRef(new Map<number, { props: TurnProps; node: VNode }>());
  return (props) => {
    const { turn, lessons, isMarked, actions } = props;
    const old = known.current.get(turn.n);
    const isSame =
      old?.props.turn === turn &&
      old.props.lessons === lessons &&
      old.props.isMarked === isMarked &&
      old.props.actions === actions &&
      !turn.items.some((item) => item.kind === "person" && item.text === null);
    if (isSame) return old.node;
    const node = <TurnView key={turn.n} {...props} />;
    known.current.set(turn.n, { props, node });
    return node;
  };
}

const STATES = {
  sending: "Sending…",
  waiting: "Not sent yet: the server does not answer. It is sent again by itself.",
  accepted: "Waits for the running turn",
};
const BUSY_STATES = { queue: "Waits for the running turn", steer: "Joins the running turn", interrupt: "Next" };

function WaitingMessage({ message: { text, images, state, busy } }: { message: OutgoingMessage }) {
  return (
    <div class="person person-waiting">
      <div class="person-text">
        <div class="person-words" dir="auto">
          {text}
        </div>
      </div>
      {images.length > 0 && (
        <ul class="images" aria-label="Images">
          {images.map(({ data, name }, at) => (
            <li key={at}>
              <img src={data} alt={name} />
            </li>
          ))}
        </ul>
      )}
      <p class="muted small">
        {state === "waiting" && <Icon name="warning" />}{" "}
        {state === "accepted" && busy ? BUSY_STATES[busy] : STATES[state]}
      </p>
    </div>
  );
}

/** Keeps the end in sight while the reader is there, and the reader's place when older turns are put above it. */
function useStickyEnd(view: SessionView, marked: number | null) {
  const box = useRef<HTMLDivElement>(null);
  const [isAtEnd, setAtEnd] = useState(true);
  const follows = useRef(marked === null);
  const height = useRef(0);
  const firstTurn = useRef<number | undefined>(undefined);
  const conversation = view.conversation.value;
  const messages = view.outgoing.messages.value;

  // A message of one's own brings the end back.
  useEffect(() => {
    if (messages.some(({ state }) => state === "sending")) toEnd();
  }, [messages.length]);

  useLayoutEffect(() => {
    const element = box.current!;
    const first = conversation.turns.find(({ items }) => items.length > 0)?.items[0]?.entry;
    const grew = element.scrollHeight - height.current;
    if (follows.current) element.scrollTop = element.scrollHeight;
    else if (first !== undefined && firstTurn.current !== undefined && first < firstTurn.current)
      element.scrollTop += grew;
    firstTurn.current = first;
    height.current = element.scrollHeight;
    setAtEnd(element.scrollHeight - element.scrollTop - element.clientHeight <= NEAR_END * 2);
  }, [conversation, messages]);

  // Pictures, colours and unfolded rows change the height without a new event.
  useEffect(() => {
    const element = box.current!;
    const observer = new ResizeObserver(() => {
      if (follows.current) element.scrollTop = element.scrollHeight;
      height.current = element.scrollHeight;
    });
    observer.observe(element);
    observer.observe(element.firstElementChild!);
    return () => observer.disconnect();
  }, [view]);

  useEffect(() => {
    follows.current = marked === null;
    if (marked === null || !view.isLoaded.value) return;
    void view.readUpTo(marked).then(
      () => {
        const turn = box.current?.querySelector<HTMLElement>(`[data-turn="${marked}"]`);
        turn?.scrollIntoView({ block: "start" });
        turn?.focus({ preventScroll: true });
      },
      () => {}, // the turn is not in sight; the button above reads on
    );
  }, [view, marked, view.isLoaded.value]);

  function onScroll(): void {
    const element = box.current;
    if (!element) return; // an event of the frame in which the conversation was left
    const left = element.scrollHeight - element.scrollTop - element.clientHeight;
    // Only the reader moves away from the end: a growing text does not.
    if (element.scrollHeight === height.current || left <= NEAR_END) follows.current = left <= NEAR_END;
    setAtEnd(left <= NEAR_END * 2);
    if (element.scrollTop < NEAR_START && view.hasOlder.peek() && view.isLoaded.peek() && !follows.current) {
      void view.readOlder().catch(() => {}); // the button says that there is more
    }
  }

  function toEnd(): void {
    follows.current = true;
    const element = box.current;
    if (element) element.scrollTop = element.scrollHeight;
  }

  return { box, isAtEnd, toEnd, onScroll };
}
