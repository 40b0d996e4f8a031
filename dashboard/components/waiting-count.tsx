// How many changes wait for the person's decision: one click from anywhere. Read a while after the start, which it must not slow.
import { useEffect, useState } from "preact/hooks";
import { useResource } from "../data/resource.ts";

const FIRST_MS = 1_500;
const EVERY_MS = 60_000;

export function WaitingCount() {
  const [isTime, setTime] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setTime(true), FIRST_MS);
    return () => clearTimeout(timer);
  }, []);
  const { value } = useResource("GET /v1/pending", isTime ? { query: {} } : null, {
    every: EVERY_MS,
  });
  const count = value?.pending.filter(({ state }) => state === "waiting").length ?? 0;
  if (count === 0) return null;
  const text = `${count}${value?.next === undefined ? "" : "+"}`;
  return (
    <a
      class="waiting"
      href="#/learning/pending"
      aria-label={`${text} ${count === 1 ? "change waits" : "changes wait"} for your decision`}
    >
      {text}
    </a>
  );
}
