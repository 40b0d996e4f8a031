// Random plans for a simulated session: what the model does with each message, and what people, readers, alarms and power cuts do
// meanwhile. Data only; world.ts carries it out.
import fc from "fast-check";

export type Effect = "read" | "keyed" | "unkeyed";

/** How the model call of a step fails. `flaky` and `broken` succeed on the first retry, `away` only after many. */
export type Trouble = "none" | "flaky" | "broken" | "away" | "fatal" | "overflow";

export interface Step {
  calls: Effect[];
  words: number;
  trouble: Trouble;
}

/** What the model does with one message: these steps, then an answer without calls. */
export type Script = Step[];

export type Action =
  | { do: "post"; script: Script; busy: "queue" | "steer" | "interrupt" }
  | { do: "stop" }
  /** The power fails now, or at a later write. The engine restarts before the next action. */
  | { do: "cut" }
  | { do: "cutAt"; writes: number }
  | { do: "wake" }
  | { do: "join"; reader: number }
  | { do: "leave"; reader: number }
  | { do: "refresh" | "compress" };

export interface Plan {
  learning: "on" | "off";
  /** How many calls of the Account and reads of the bucket fail before one succeeds. */
  accountAway: number;
  bucketAway: number;
  /** `ticks`: how many microtasks run before the next action. */
  actions: { action: Action; ticks: number }[];
}

export const READERS = 2;

const step: fc.Arbitrary<Step> = fc.record({
  calls: fc.array(fc.constantFrom<Effect>("read", "keyed", "unkeyed"), { maxLength: 4 }),
  words: fc.nat({ max: 10 }),
  trouble: fc.oneof(
    { weight: 12, arbitrary: fc.constant<Trouble>("none") },
    { weight: 4, arbitrary: fc.constantFrom<Trouble>("flaky", "broken", "away", "fatal", "overflow") },
  ),
});

const post: fc.Arbitrary<Action> = fc.record({
  do: fc.constant("post" as const),
  script: fc.array(step, { maxLength: 4 }),
  busy: fc.constantFrom("queue" as const, "steer" as const, "interrupt" as const),
});

const reader = fc.nat({ max: READERS - 1 });

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 5, arbitrary: post },
  { weight: 4, arbitrary: fc.constant<Action>({ do: "cut" }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("cutAt" as const), writes: fc.integer({ min: 1, max: 15 }) }) },
  { weight: 3, arbitrary: fc.constant<Action>({ do: "wake" }) },
  { weight: 1, arbitrary: fc.constant<Action>({ do: "stop" }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("join" as const), reader }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("leave" as const), reader }) },
  { weight: 1, arbitrary: fc.constantFrom<Action>({ do: "refresh" }, { do: "compress" }) },
);

/** A few ticks pass between two lines of a function; many let a step or a turn pass. */
const ticks = fc.oneof(
  fc.nat({ max: 12 }),
  fc.nat({ max: 150 }),
  fc.nat({ max: 150 }),
  fc.nat({ max: 400 }),
  fc.nat({ max: 1_500 }),
);

export const plan: fc.Arbitrary<Plan> = fc.record({
  learning: fc.constantFrom("off" as const, "off" as const, "on" as const),
  accountAway: fc.nat({ max: 2 }),
  bucketAway: fc.nat({ max: 2 }),
  actions: fc.array(fc.record({ action, ticks }), { minLength: 1, maxLength: 16 }),
});
