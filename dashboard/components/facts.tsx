// Names and values, one below the other.
import type { ComponentChildren } from "preact";

/** A value that is `null` or `undefined` leaves its line out. */
export function Facts({ facts }: { facts: Record<string, ComponentChildren> }) {
  return (
    <dl class="facts">
      {Object.entries(facts).map(
        ([name, value]) =>
          value != null && (
            <div key={name}>
              <dt>{name}</dt>
              <dd dir="auto">{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
