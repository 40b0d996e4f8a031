// Wraps the ports of a session with failpoints: before and after each write, and between a tool's work and its result. After the
// chosen failpoint nothing more is written, as in a power cut. Used only by the chaos run's api Worker.
import type { Model, Tool } from "../../core/agent/contract.ts";
import { ok } from "../../core/errors.ts";
import type { SqlValue } from "../../core/ports.ts";
import { Entry } from "../../core/schemas/entry.ts";
import type { SessionHost } from "../../core/session/context.ts";
import { createMortalSql, readWrittenTable } from "./mortal-sql.ts";

export interface FailpointOptions {
  /** The failpoint at which this process dies. */
  at?: string;
  /** Called for every failpoint that is passed. */
  onPass(point: string): void;
  /** Called at the death. Callers that wait for an answer wait for this promise. */
  onReached(point: string): Promise<unknown>;
}

export interface Failpoints {
  host: SessionHost;
  /** Never resolves after the failpoint was reached; before that, resolves at once. */
  hold(): Promise<unknown>;
}

class PowerCut extends Error {
  override name = "PowerCut";
}

export function withFailpoints(host: SessionHost, { at, onPass, onReached }: FailpointOptions): Failpoints {
  let death: Promise<unknown> | null = null;
  /** The last write. Distinguishes one setting of the alarm from another. */
  let last = "waking";

  function assertAlive(): void {
    if (death) throw new PowerCut();
  }

  function pass(point: string): void {
    assertAlive();
    onPass(point);
    if (point !== at) return;
    // Do not send a request inside a transaction, which this throw rolls back.
    death = Promise.resolve().then(() => onReached(point));
    throw new PowerCut(point);
  }

  async function around<T>(what: string, work: () => Promise<T>): Promise<T> {
    pass(`before ${what}`);
    const value = await work();
    pass(`after ${what}`);
    return value;
  }

  function mortalTool(tool: Tool): Tool {
    return {
      ...tool,
      async run(args: { call: string }, context) {
        assertAlive();
        const result = await tool.run(args, context);
        pass(`after running ${args.call}`);
        return result;
      },
    };
  }

  function mortalModel(model: Model): Model {
    return {
      ...model,
      async *stream(request, signal, noteActivity) {
        if (death) await death;
        yield* model.stream(request, signal, noteActivity);
      },
    };
  }

  const { alarm, account, archive, messages, queue, evidence, reviews, children, channels } = host;
  return {
    hold: async () => death,
    host: {
      ...host,
      sql: createMortalSql(host.sql, {
        ...{ assertAlive, pass, describeWrite, nameTransaction },
        noteWrite(name) {
          last = name;
        },
      }),
      alarm: {
        set: (when) => around(`alarm set after ${last}`, () => alarm.set(when)),
      },
      account: {
        reserveReview: (request) => around("reserve review", () => account.reserveReview(request)),
        reserveTurn: (request) => around("reserve turn", () => account.reserveTurn(request)),
        book: (booking) => around("book usage", () => account.book(booking)),
      },
      ...(archive && {
        archive: {
          observe: (signature) => around("archive turn", () => archive.observe(signature)),
          name: (turns) => around("archive kinds", () => archive.name(turns)),
        },
      }),
      ...(messages && {
        messages: { ...messages, put: (turn, year) => around("archive messages", () => messages.put(turn, year)) },
      }),
      ...(children && {
        children: {
          begin: (child, task) => around("begin child", () => children.begin(child, task)),
          stop: (child, task) => around("stop child", () => children.stop(child, task)),
          look: (child) => around("look at child", () => children.look(child)),
          report: (parent, child, report) => around("report", () => children.report(parent, child, report)),
        },
      }),
      ...(channels && {
        channels: { take: (delivery) => around("deliver", () => channels.take(delivery)) },
      }),
      queue: { send: (message, options) => around("send review", () => queue.send(message, options)) },
      evidence: {
        ...evidence,
        put: (item) => around("put evidence", () => evidence.put(item)),
        markActive: (day) => around("mark active", () => evidence.markActive(day)),
      },
      reviews: { ...reviews, putJob: (job) => around("put review job", () => reviews.putJob(job)) },
      models(slot) {
        const chain = host.models(slot);
        if (!chain.ok) return chain;
        const [primary, ...fallbacks] = chain.value;
        return ok([mortalModel(primary), ...fallbacks.map(mortalModel)]);
      },
      moreTools: (host.moreTools ?? []).map(mortalTool),
    },
  };
}

/** A short name for what a statement writes; `null` if it only reads. */
function describeWrite(query: string, values: SqlValue[]): string | null {
  const written = readWrittenTable(query);
  if (!written) return null;
  const { table, isGone } = written;
  const gone = isGone ? " gone" : "";
  switch (table) {
    case "entry":
      return describeEntry(Entry.parse(JSON.parse(String(values[2]))));
    case "turn":
      if (/^\s*UPDATE/i.test(query)) return "turn observed";
      return `turn ${String(values[1])}`;
    case "job":
      return `job ${String(values[0]).replace(/[:\s].*/s, "")}${gone}`;
    case "meta":
      return `meta ${String(values[0]).replace(/:.*/s, "")}${gone}`;
    default:
      return `${table}${gone}`;
  }
}

function describeEntry(entry: Entry): string {
  switch (entry.kind) {
    case "user":
      return "input";
    case "assistant":
      return `answer ${entry.answer.calls[0]?.id ?? "final"}`;
    case "tool":
      return `${entry.state === "open" ? "intent" : "result"} ${entry.call.id}`;
    case "notice":
    case "note":
      return `${entry.kind} ${entry.code}`;
    case "compaction":
      return "compaction";
  }
}

/** A transaction of a turn has a fixed name. Any other is named by its writes. */
function nameTransaction(writes: string[]): string {
  if (writes.includes("input")) return "accept";
  if (writes.includes("notice resumed")) return "resume";
  if (writes.some((write) => /^turn (done|failed|stopped)$/.test(write))) return "settle";
  return writes.find((write) => write.startsWith("answer")) ?? [...new Set(writes)].join(" + ");
}
