// The line above the composer: what the agent does, and whether the page follows it. And the words that a screen reader hears: an answer as
// a whole when it is there, not each of its words.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Conversation } from "./session/conversation.ts";
import { describeActivity, openTurn } from "./session/progress.ts";
import type { SessionView } from "./session/session-view.ts";

/** A short loss says nothing. */
const SAY_LOSS_MS = 1_000;
const MAX_SPOKEN = 1_000;

export function StatusLine({ view }: { view: SessionView }) {
  const conversation = view.conversation.value;
  const isLost = useSlow(
    view.isLoaded.value && view.live.value !== "open" && view.error.value === undefined,
    SAY_LOSS_MS,
  );
  const activity = describeActivity(conversation);
  const seconds = useSeconds(activity.kind === "works", openTurn(conversation)?.n);
  const text = isLost
    ? "Reconnecting…"
    : activity.kind === "works"
      ? activity.what
      : activity.kind === "asks"
        ? "Waiting for you"
        : "";
  return (
    <div class="status-line small muted">
      <span role="status">{text}</span>
      {activity.kind === "works" && !isLost && seconds > 2 && <span aria-hidden="true"> · {seconds} s</span>}
      <span class="visually-hidden" aria-live="polite">
        {useSpoken(conversation)}
      </span>
    </div>
  );
}

/** `value`, but true only when it has been so for a while. */
function useSlow(value: boolean, ms: number): boolean {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    if (!value) return setSlow(false);
    const timer = setTimeout(() => setSlow(true), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return isSlow && value;
}

function useSeconds(isRunning: boolean, turn: number | undefined): number {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    setSeconds(0);
    if (!isRunning) return undefined;
    const since = Date.now();
    const timer = setInterval(() => setSeconds(Math.floor((Date.now() - since) / 1_000)), 1_000);
    return () => clearInterval(timer);
  }, [isRunning, turn]);
  return seconds;
}

/** The answer of a turn that ended while the reader was here. */
function useSpoken({ turns }: Conversation): string {
  const open = useRef<number | null>(null);
  const [spoken, setSpoken] = useState("");
  const last = turns.at(-1);
  useEffect(() => {
    if (!last) return;
    if (last.end === null) open.current = last.n;
    else if (open.current === last.n) {
      open.current = null;
      const said = last.items.findLast((item) => item.kind === "answer" && item.text !== "");
      const text = said?.kind === "answer" ? said.text : "";
      const what =
        last.end.state === "done"
          ? "The agent answered"
          : `The turn ${last.end.state === "failed" ? "failed" : "was stopped"}`;
      setSpoken(`${what}. ${text.slice(0, MAX_SPOKEN)}`);
    }
  }, [last?.n, last?.end]);
  return spoken;
}
