// What a check-up or the test of a model found: one line for each check, the failures first.
import { Badge } from "../components/badge.tsx";
import type { CheckLine } from "./check-words.ts";

const STATES = {
  fail: { name: "Fails", tone: "bad" },
  warn: { name: "Needs attention", tone: "warn" },
  ok: { name: "Works", tone: "good" },
} as const;
const ORDER = Object.keys(STATES) as CheckLine["state"][];

export function CheckLines({ label, lines }: { label: string; lines: CheckLine[] }) {
  const sorted = lines.toSorted((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state));
  return (
    <ul class="items" aria-label={label}>
      {sorted.map(({ check, state, found, fix }, i) => (
        <li key={`${i} ${check}`}>
          <p class="item-facts">
            <Badge tone={STATES[state].tone}>{STATES[state].name}</Badge>
            <span class="setting-label" dir="auto">
              {check}
            </span>
            <span dir="auto">{found}</span>
          </p>
          {fix && (
            <p dir="auto">
              <strong>To do:</strong> {fix}
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}
