// Simulated time: the clock stops while work runs. Messages of queues and alarms of objects fire in the order of their times, when the
// clock reaches them. Used by platform.ts.
import type { Alarm } from "../../../core/ports.ts";
import { createTestClock } from "../../../test/support/clock.ts";

interface Event {
  at: number;
  order: number;
  run(): Promise<void>;
}

/** An object with an alarm. */
interface Place {
  alarmAt: number | null;
  wake(): Promise<void>;
}

export function createTimeline() {
  const clock = createTestClock();
  const places = new Set<Place>();
  const events: Event[] = [];
  let order = 0;

  function schedule(delayMs: number, run: () => Promise<void>): void {
    events.push({ at: clock.now() + delayMs, order: order++, run });
  }

  /** `wake` is called when the alarm is due. After `remove` it never is. */
  function addPlace(wake: () => Promise<void>): { alarm: Alarm; remove(): void } {
    const place: Place = { alarmAt: null, wake };
    places.add(place);
    return {
      alarm: { set: async (at) => void (place.alarmAt = at) },
      remove: () => void places.delete(place),
    };
  }

  /** Runs everything that is due up to `time`, in order, and moves the clock there. */
  async function advanceTo(time: number): Promise<void> {
    for (;;) {
      const place = earliestPlace();
      const event = events.reduce<Event | null>(
        (first, one) => (!first || one.at < first.at || (one.at === first.at && one.order < first.order) ? one : first),
        null,
      );
      const at = Math.min(place?.alarmAt ?? Infinity, event?.at ?? Infinity);
      if (at > time) break;
      if (at > clock.now()) clock.advance(at - clock.now());
      if (event && event.at <= (place?.alarmAt ?? Infinity)) {
        events.splice(events.indexOf(event), 1);
        await event.run();
      } else {
        place!.alarmAt = null;
        await place!.wake();
      }
    }
    if (time > clock.now()) clock.advance(time - clock.now());
  }

  function earliestPlace(): Place | null {
    let first: Place | null = null;
    for (const place of places) {
      if (place.alarmAt !== null && (!first || place.alarmAt < first.alarmAt!)) first = place;
    }
    return first;
  }

  return { clock, schedule, addPlace, advanceTo };
}

/** Work that an object does not await. */
export function createBackground() {
  const open = new Set<Promise<void>>();
  return {
    add(work: Promise<void>): void {
      open.add(work);
      void work.finally(() => open.delete(work));
    },
    async settled(): Promise<void> {
      while (open.size > 0) await Promise.allSettled(open);
    },
  };
}
