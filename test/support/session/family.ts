// A parent and the sessions that it begins, each an engine over its own database, on one clock. Calls between them are those of the
// port; any of them can be cut off at any write, alone or all at once, and continues in a new object at the next call or alarm.
import { err } from "../../../core/errors.ts";
import type { ChildPort } from "../../../core/session/context.ts";
import type { Entry } from "../../../core/schemas/entry.ts";
import { createTestClock } from "../clock.ts";
import {
  type HarnessOptions,
  type SessionHarness,
  type SessionLife,
  Crash,
  SESSION,
  createSessionHarness,
} from "./session-harness.ts";

/** `all`: a cut ends every object, as if the machine had stopped. */
export type CutKind = "one" | "all";

interface Member {
  harness: SessionHarness;
  life: SessionLife;
}

export type Family = ReturnType<typeof createFamily>;

export function createFamily(options: HarnessOptions) {
  const clock = createTestClock();
  const members = new Map<string, Member>();
  const parents = new Map<string, string>();
  const deleted = new Set<string>();
  let writes = 0;
  let cutAt = Infinity;
  let cutKind: CutKind = "one";
  let cuts = 0;

  function isCut(): boolean {
    if (++writes !== cutAt) return false;
    cuts++;
    if (cutKind === "all") for (const { life } of members.values()) life.kill();
    return true;
  }

  function member(session: string): Member {
    const known = members.get(session);
    if (known && !known.life.isDead()) return known;
    const harness =
      known?.harness ??
      createSessionHarness({
        ...options,
        ...{ session, clock, isCut, children: toPort(session) },
        ...(members.size > 0 && { archive: members.get(SESSION)!.harness }),
      });
    const fresh = { harness, life: harness.boot() };
    members.set(session, fresh);
    return fresh;
  }

  /** A caller sees the end of the other object as an error, as on the platform. */
  async function call<T>(session: string, work: (life: SessionLife) => Promise<T> | T): Promise<T> {
    if (deleted.has(session)) throw new Error("deleted");
    return work(member(session).life);
  }

  function toPort(parent: string): ChildPort {
    return {
      async begin(child, task) {
        if (deleted.has(child) || deleted.has(parent)) return err("session_gone", "Deleted.");
        parents.set(child, parent);
        return call(child, ({ engine }) => engine.beginChild(task));
      },
      async stop(child, task) {
        if (deleted.has(child) || deleted.has(parent)) return err("session_gone", "Deleted.");
        parents.set(child, parent);
        return call(child, ({ engine }) => engine.stopChild(task));
      },
      look: async (child) => (deleted.has(child) ? null : call(child, ({ engine }) => engine.lookAtChild())),
      report: async (to, child, report) => {
        if (!deleted.has(to)) await call(to, ({ engine }) => engine.takeReport(child, report));
      },
    };
  }

  /** Reading may resume a turn, and the write of that may be the one that is cut off. */
  function read<T>(session: string, work: (life: SessionLife) => T): T {
    try {
      return work(member(session).life);
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      return work(member(session).life);
    }
  }

  async function settled(): Promise<void> {
    // One's work may begin another's.
    for (let round = 0; round < 3; round++) for (const { life } of [...members.values()]) await life.settled();
  }

  return {
    clock,
    parent: SESSION,
    children: () => [...parents.keys()],
    parentOf: (session: string) => parents.get(session),
    settled,
    cuts: () => cuts,
    writes: () => writes,
    /** The n-th write from now on is cut off. */
    cutIn(n: number, kind: CutKind): void {
      cutAt = writes + n;
      cutKind = kind;
    },
    delete: (session: string): void => void deleted.add(session),
    life: (session: string): SessionLife => member(session).life,
    harness: (session: string): SessionHarness => member(session).harness,
    detail: (session: string) => read(session, (life) => life.engine.detail()!),
    entries(session: string): Entry[] {
      const entries = read(session, (life) => life.engine.entries(0));
      if (!entries.ok) throw new Error(entries.failure.code);
      return entries.value;
    },
    /** Runs `work` on the session's object; a cut is no failure of the test. False: it was cut off. */
    async attempt(session: string, work: (life: SessionLife) => Promise<unknown>): Promise<boolean> {
      const { life } = member(session);
      try {
        await work(life);
      } catch (error) {
        if (!(error instanceof Crash)) throw error;
      }
      await settled();
      return !life.isDead();
    },
    /** Fires the earliest alarm of the family, unless it is due after `until`. False: there is none. */
    async step(until = Infinity): Promise<boolean> {
      const due = [...members]
        .flatMap(([session, { harness }]) => {
          const at = harness.alarmAt();
          return at === null || deleted.has(session) ? [] : [{ session, at }];
        })
        .toSorted((a, b) => a.at - b.at)[0];
      if (!due || due.at > until) return false;
      await this.attempt(due.session, (life) => life.wake());
      return true;
    },
    /** Fires alarms until the parent's turn has ended. */
    async run(steps = 300): Promise<void> {
      for (let n = 0; n < steps && this.isOpen(); n++) {
        if (!(await this.step())) break;
      }
    },
    isOpen(): boolean {
      const [turn] = this.detail(SESSION).turns;
      return turn === undefined || ["queued", "running", "parked"].includes(turn.state);
    },
    /** Alarms until nothing is to do, so that late reports arrive. */
    async drain(steps = 300): Promise<void> {
      for (let n = 0; n < steps && (await this.step()); n++);
    },
  };
}
