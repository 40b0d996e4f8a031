// Chat: one conversation, or the beginning of a new one. The composer is there before anything is read, and before the code of
// conversations is loaded; a session is made with the first message. `#/chat`, `#/chat/SESSION`, `#/chat/SESSION/TURN`.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Composer } from "../chat/composer/composer.tsx";
import { branchAfter, branchBefore, readImages } from "../chat/session/branching.ts";
import { carryOut } from "../chat/composer/carry-out.ts";
import { ChatHead } from "../chat/chat-head.tsx";
import type { Turn } from "../chat/session/conversation.ts";
import { MetaLine } from "../chat/meta-line.tsx";
import type { Composed } from "../chat/session/outgoing.ts";
import type { PersonActions } from "../chat/log/person-message.tsx";
import { describeActivity } from "../chat/session/progress.ts";
import { type SessionView, openSession } from "../chat/session/session-view.ts";
import { StatusLine } from "../chat/status-line.tsx";
import { TurnActions } from "../chat/log/turn-actions.tsx";
import { uploadFiles } from "../chat/session/upload-files.ts";
import { later } from "../components/later.tsx";
import { ErrorNote, Loading } from "../components/states.tsx";
import { toastError } from "../components/toasts.tsx";
import { ProblemError, call } from "../data/api.ts";
import { isPanelOpen, keepInTab } from "../data/preferences.ts";
import { invalidate } from "../data/resource.ts";
import { type PageProps, hrefOf } from "../pages.ts";

const GONE = "This conversation was deleted meanwhile. Your message is below: begin a new conversation with it.";

/** After the composer, which somebody waits for. */
const FIRST_MS = 1_000;
const conversationLog = later(
  async () => (await import("../chat/log/conversation-log.tsx")).ConversationLog,
  <div class="log-frame">
    <div class="log" role="log" aria-label="Conversation">
      <Loading />
    </div>
  </div>,
);
const sidePanel = later(
  async () => (await import("../chat/panel/side-panel.tsx")).SidePanel,
  <aside class="chat-panel" aria-label="Files and details" />,
);
const { Component: ConversationLog } = conversationLog;
const { Component: SidePanel } = sidePanel;

export function Page({ rest }: PageProps) {
  const [session, turn] = [rest[0] ?? null, rest[1]];
  const [view, setView] = useState<SessionView | null>(null);
  const [returned, setReturned] = useState<Composed | null>(null);
  const [error, setError] = useState<unknown>();
  /** Changes when another conversation is shown, not when this one gets its session. */
  const [place, setPlace] = useState(0);
  const placeNow = useRef(0);
  const main = useRef<HTMLDivElement>(null);
  const shown = useRef<SessionView | null>(null);
  /** The session of this new conversation, once its making has begun: the next message waits for it too. */
  const making = useRef<Promise<SessionView> | null>(null);
  const marked = turn !== undefined && /^\d{1,9}$/.test(turn) ? Number(turn) : null;

  function show(next: SessionView | null): void {
    if (shown.current !== next) shown.current?.close();
    shown.current = next;
    setView(next);
  }

  const open = (id: string) =>
    openSession(id, (message, failure) => {
      setReturned(message);
      const isGone = failure instanceof ProblemError && failure.problem.code === "session_not_found";
      setError(isGone ? new Error(GONE) : failure);
    });

  useEffect(() => {
    if ((shown.current?.session ?? null) === session) return;
    setError(undefined);
    setReturned(null);
    placeNow.current += 1;
    setPlace(placeNow.current);
    making.current = null;
    show(session === null ? null : open(session));
  }, [session]);
  useEffect(
    () => () => {
      shown.current?.close();
      making.current = null;
      placeNow.current += 1;
    },
    [],
  );
  useEffect(() => {
    const timer = setTimeout(() => void Promise.all([conversationLog.load(), sidePanel.load()]), FIRST_MS);
    return () => clearTimeout(timer);
  }, []);

  /** Shows a session that this page has made, with its first message on its way. */
  function begin(id: string, message?: Composed): void {
    const made = open(id);
    if (message) made.outgoing.add(message);
    show(made);
    location.hash = hrefOf("chat", id);
  }

  function ensureSession(): Promise<SessionView> {
    if (shown.current) return Promise.resolve(shown.current);
    return (making.current ??= makeSession(placeNow.current));
  }

  /** Shows it, unless the reader has gone elsewhere meanwhile. */
  async function makeSession(at: number): Promise<SessionView> {
    try {
      const { session: id } = await call("POST /v1/sessions", { body: {} });
      void invalidate("/v1/sessions?");
      const made = open(id);
      if (at === placeNow.current) {
        show(made);
        location.hash = hrefOf("chat", id);
      } else made.close();
      return made;
    } finally {
      if (at === placeNow.current) making.current = null;
    }
  }

  async function addFiles(files: File[]): Promise<void> {
    const made = await ensureSession();
    await uploadFiles(made.session, files);
    made.filesVersion.value += 1;
  }

  const write = (text: string) => setReturned({ text, images: [], busy: null });

  async function submit(message: Composed): Promise<void> {
    setError(undefined);
    setReturned(null);
    const at = placeNow.current;
    try {
      const rest = message.text.startsWith("/")
        ? await carryOut(message, { view: shown.current, begin, write })
        : message;
      if (!rest) return;
      // Until the new conversation has its session, a reload finds the message in the composer.
      if (shown.current === null) keepInTab("draft.new", rest.text);
      (await ensureSession()).outgoing.add(rest);
    } catch (failure) {
      // The draft of the new conversation has it, where the reader has gone elsewhere.
      if (at !== placeNow.current) return toastError(failure);
      setReturned(message);
      setError(failure);
    }
  }

  const actions = useMemo<PersonActions>(() => {
    if (view === null) return { ofTurn: () => null };
    const { session: id, conversation } = view;
    const again = async (of: Turn, text: string) => {
      const images = await readImages(id, of);
      begin(await branchBefore(conversation.peek(), view.detail.peek()!, of), { text, images, busy: null });
    };
    return {
      edit: again,
      ofTurn: (of) => {
        const first = of.items[0];
        return (
          <TurnActions
            session={id}
            turn={of}
            onRetry={() => again(of, (first?.kind === "person" && first.text) || "Go on.")}
            onBranch={async () => begin(await branchAfter(id, of.n))}
          />
        );
      },
    };
  }, [view]);

  const activity = view ? describeActivity(view.conversation.value) : ({ kind: "idle" } as const);
  return (
    <div class={`chat${view && isPanelOpen.value ? " chat-with-panel" : ""}`}>
      <div class="chat-main" ref={main}>
        <ChatHead view={view} />
        {view ? (
          <ConversationLog key={view.session} view={view} marked={marked} actions={actions} />
        ) : (
          <div class="log-frame">
            <div class="log log-new" role="log" aria-label="Conversation" tabIndex={0}>
              <div class="welcome">
                <p class="welcome-title">What shall we work on?</p>
                <p class="muted">
                  The agent answers first and learns afterwards. Under each turn it shows what it learned, and why.
                </p>
              </div>
            </div>
          </div>
        )}
        <div class="chat-foot">
          {view && <StatusLine view={view} />}
          {error !== undefined && <ErrorNote error={error} />}
          <Composer
            key={place}
            dropOn={main}
            draft={session ?? "new"}
            isBusy={activity.kind !== "idle"}
            isAsked={activity.kind === "asks"}
            returned={returned}
            onSend={(message) => void submit(message)}
            onStop={() => void view?.stop().catch(toastError)}
            onFiles={(files) => void addFiles(files).catch(toastError)}
          />
          {view && <MetaLine view={view} />}
        </div>
      </div>
      {view && isPanelOpen.value && <SidePanel key={view.session} view={view} />}
    </div>
  );
}
