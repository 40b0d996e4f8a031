// Wraps the storage and the bindings of a board or an agenda with failpoints: before and after each write, each setting of the alarm and
// each call of another object. After the chosen failpoint nothing more is written and nobody gets an answer, as in a power cut. Used only
// by the objects of a chaos run's api Worker.
import * as z from "zod";
import type { Sql, SqlValue } from "../../core/ports.ts";
import { toSql } from "../../durable-objects/sql.ts";
import { createMortalSql, readWrittenTable } from "./mortal-sql.ts";

/**
 * `skip`: how often the failpoint is passed before the process dies at it. `holdMs`: the process does not die there; the first call of another
 * object that is to pass it takes so long.
 */
const Point = z.object({ at: z.string(), skip: z.int().default(0), holdMs: z.int().optional() });
const Plan = z.object({
  url: z.string(),
  traced: z.literal("all").optional(),
  /** Absent: the objects are the product's. */
  objects: z.object({ board: Point.optional(), agenda: Point.optional() }).optional(),
});

export interface ObjectFailpoints<Env> {
  env: Env;
  /** An answer of the object. After its death there is none, not even an error. */
  answer<T>(work: () => Promise<T>): Promise<T>;
}

class PowerCut extends Error {
  override name = "PowerCut";
}

/** Changes `storage` itself: the platform does not accept another one in an object's constructor. */
export function addFailpoints<Env extends object>(
  who: "board" | "agenda",
  storage: DurableObjectStorage,
  env: Env,
): ObjectFailpoints<Env> {
  const { url, traced, objects } = Plan.parse(JSON.parse((env as { TALARIA_CHAOS: string }).TALARIA_CHAOS));
  if (!objects) return { env, answer: (work) => work() };
  const plan = objects[who];
  let death: Promise<unknown> | null = null;
  let passed = 0;

  const report = (path: string, point: string) =>
    fetch(`${url}${path}`, { method: "POST", body: JSON.stringify({ session: who, point }) });
  function assertAlive(): void {
    if (death) throw new PowerCut();
  }
  function pass(point: string): void {
    assertAlive();
    if (traced) void Promise.resolve().then(() => report("/passed", point));
    if (point !== plan?.at || plan.holdMs !== undefined || passed++ < plan.skip) return;
    // Do not send a request inside a transaction, which this throw rolls back.
    death = Promise.resolve().then(() => report("/reached", point));
    throw new PowerCut(point);
  }
  async function around<T>(what: string, work: () => Promise<T>): Promise<T> {
    if (plan?.holdMs !== undefined && plan.at === `before ${what}` && passed++ === 0) await scheduler.wait(plan.holdMs);
    pass(`before ${what}`);
    const value = await work();
    pass(`after ${what}`);
    return value;
  }

  const real = toRealSql(storage);
  const sql = createMortalSql(real, { assertAlive, pass, describeWrite, nameTransaction, noteWrite: () => {} });
  replace(storage.sql, "exec", (query: string, ...values: SqlValue[]) => {
    const rows = sql.run(query, ...values);
    return { toArray: () => rows };
  });
  replace(storage, "transactionSync", (work: () => unknown) => sql.transaction(work));
  for (const method of ["setAlarm", "deleteAlarm"] as const) {
    const call = (storage[method] as (...given: unknown[]) => Promise<void>).bind(storage);
    replace(storage, method, (...given: unknown[]) => around(method, () => call(...given)));
  }
  return {
    env: withMortalCalls(env, around),
    async answer(work) {
      try {
        return await work();
      } finally {
        await death;
      }
    },
  };
}

/** The storage as it was, whatever takes the place of its methods. */
function toRealSql(storage: DurableObjectStorage): Sql {
  const exec = storage.sql.exec.bind(storage.sql);
  return toSql({
    sql: { exec },
    transactionSync: storage.transactionSync.bind(storage),
  } as unknown as DurableObjectStorage);
}

function replace(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, configurable: true });
}

/** Every call of another object by its name, such as `session post`. */
function withMortalCalls<Env extends object>(
  env: Env,
  around: <T>(what: string, work: () => Promise<T>) => Promise<T>,
): Env {
  const wrapped = Object.entries(env).map(([binding, value]) => {
    if (typeof value?.getByName !== "function") return [binding, value];
    const namespace = value as DurableObjectNamespace;
    const getByName = (name: string) =>
      new Proxy(namespace.getByName(name), {
        get(stub, method) {
          const call = stub[method as keyof typeof stub] as unknown as (...given: unknown[]) => Promise<unknown>;
          if (typeof method !== "string" || typeof call !== "function") return call;
          const what = `${binding.toLowerCase()} ${method}`;
          return (...given: unknown[]) => around(what, () => Reflect.apply(call, stub, given));
        },
      });
    return [binding, { getByName }];
  });
  return Object.fromEntries(wrapped) as Env;
}

/** A short name for what a statement writes; `null` if it only reads. */
function describeWrite(query: string, values: SqlValue[]): string | null {
  const written = readWrittenTable(query);
  if (!written) return null;
  const { table, isGone } = written;
  if (isGone) return `${table} gone`;
  if (table === "card_event") return String(values[2]);
  if (table === "dispatch") return `dispatch ${String(values[3])}`;
  if (table !== "job_run") return table;
  const state = values.find((value) => RUN_STATES.includes(value as string));
  return state === undefined ? "job_run looked at" : `job_run ${state}`;
}

const RUN_STATES: readonly unknown[] = ["claimed", "running", "completed", "failed", "unknown"];

/** By what it means: events of cards, states of runs. Any other by its tables. */
function nameTransaction(writes: string[]): string {
  const told = writes.filter((write) => write.startsWith("job_run ") || !/^(card|job|dispatch)/.test(write));
  return [...new Set(told.length > 0 ? told : writes)].join(" + ");
}
