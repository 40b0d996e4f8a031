// The calls that one tool makes of others: code in a sandbox calls tools as functions. They follow the rules of direct calls: schema,
// gate, guardrails, timeout. Only their results go elsewhere: to the code, not to the model. Created by step-calls.ts for a tool with
// `callsTools`. Keeps no state between calls of that tool.
import { messageOf } from "../errors.ts";
import type { JsonObject, ToolCall } from "../schemas/entry.ts";
import type { Attempt, CallGate, InnerCalls, Serve, Tool, ToolResult } from "./contract.ts";
import { type GuardDecision, type GuardedCall, toGuardedCall } from "./guardrails.ts";
import { type OuterCall, type PreparedCall, mayPrepare, prepareCall } from "./tool-calls.ts";
import { addToOutcome, fail, toPrint } from "./tool-result.ts";

type AskingGate = Extract<CallGate, { verdict: "ask" }>;

export interface InnerRules {
  tools: ReadonlyMap<string, Tool>;
  maxParallelCalls: number;
  /** Absent: every call runs. */
  serve?: Serve;
  /** The guardrails: why the call may not run, or `null`. */
  decide(call: GuardedCall, running: GuardedCall[]): { code: string; message: string } | null;
  observe(call: GuardedCall, result: ToolResult): GuardDecision;
  /** Whether a call that asks runs without a question. */
  isAllowed(gate: AskingGate): Promise<boolean>;
  /** Runs one call with its timeout. Never throws. */
  run(prepared: Extract<PreparedCall, { refusal: null }>, attempt: Omit<Attempt, "entry">): Promise<ToolResult>;
  /** Waits for calls that run, and calls them off when they take too long. */
  finish(running: Promise<unknown>): Promise<void>;
}

/** What a crashed outer call has left of an inner one. Calls that only read are not recorded. */
export interface InnerRecord extends JsonObject {
  tool: string;
  state: "began" | "done" | "failed";
}

export function createInnerCalls(rules: InnerRules, outer: OuterCall): InnerCalls {
  const tools = new Map([...rules.tools].filter(([, tool]) => !tool.callsTools && !tool.wait));
  const inner: Inner = { rules, outer, tools, calls: 0, hasReadContent: false, records: [], running: [] };
  const take = createTurnstile(rules.maxParallelCalls);
  const open = new Set<Promise<ToolResult>>();
  let hasEnded = false;
  const carryOut = async (name: string, args: Pick<ToolCall, "args" | "malformed">): Promise<ToolResult> => {
    const call: ToolCall = { id: `${outer.op}.${++inner.calls}`, name, ...args };
    const prepared = prepareCall(call, tools, null);
    if (prepared.refusal !== null) return prepared.refusal;
    const leave = await take(prepared.tool.effect === "read");
    try {
      return hasEnded ? ENDED : await runInner(inner, call, prepared);
    } finally {
      leave();
    }
  };
  return {
    names: [...tools.keys()],
    async call(name, args) {
      if (hasEnded) return ENDED;
      const result = carryOut(name, args);
      open.add(result);
      try {
        return await result;
      } finally {
        open.delete(result);
      }
    },
    async end() {
      hasEnded = true;
      if (open.size > 0) await rules.finish(Promise.allSettled(open));
    },
  };
}

const ENDED = fail("code_ended", "The code ended before this call began, so it was not run.");

interface Inner {
  rules: InnerRules;
  outer: OuterCall;
  tools: ReadonlyMap<string, Tool>;
  calls: number;
  /** A result so far had text from outside, which later arguments may repeat. */
  hasReadContent: boolean;
  records: InnerRecord[];
  running: GuardedCall[];
}

async function runInner(
  inner: Inner,
  call: ToolCall,
  prepared: Extract<PreparedCall, { refusal: null }>,
): Promise<ToolResult> {
  const { rules, outer, records } = inner;
  const { tool, args } = prepared;
  const served = rules.serve?.(call, tool)?.take();
  if (served) {
    inner.hasReadContent ||= hasContent(served);
    return served;
  }
  const refusal = (await findGateRefusal(rules, tool, args)) ?? findSourceRefusal(tool, inner.hasReadContent);
  if (refusal) return refusal;
  const guarded = toGuardedCall(call, tool);
  const guard = rules.decide(guarded, inner.running);
  if (guard) return fail(guard.code, guard.message);
  const record: InnerRecord = { tool: tool.name, state: "began" };
  const note = (state: InnerRecord["state"]) => {
    record.state = state;
    if (tool.effect !== "read") outer.note?.({ inner: records });
  };
  inner.running.push(guarded);
  try {
    const facts = mayPrepare(tool, args) ? ((await tool.prepare?.(args)) ?? {}) : {};
    if (tool.effect !== "read") records.push(record);
    note("began");
    const fromContent = inner.hasReadContent && { fromContent: true as const };
    const result = await rules.run(prepared, { op: call.id, prepared: facts, ...fromContent });
    note(result.failed ? "failed" : "done");
    inner.hasReadContent ||= hasContent(result);
    const decision = rules.observe(guarded, { ...result, print: toPrint(result) });
    return decision.action === "warn" ? addToOutcome(result, { warning: decision.message }) : result;
  } catch (error) {
    return fail("tool_crashed", `The tool failed: ${messageOf(error).slice(0, 500)}. Try another way.`);
  } finally {
    inner.running.splice(inner.running.indexOf(guarded), 1);
  }
}

function hasContent({ parts }: ToolResult): boolean {
  return parts.some(({ source }) => source === "content");
}

/** Nobody can be asked while code runs. */
async function findGateRefusal(rules: InnerRules, tool: Tool, args: unknown): Promise<ToolResult | null> {
  let gate: CallGate | undefined;
  try {
    gate = tool.gate?.(args);
  } catch {
    gate = { verdict: "ask", summary: "", reasons: ["It could not be judged."] };
  }
  if (gate === undefined || gate.verdict === "run") return null;
  if (gate.verdict === "refuse") return fail(gate.code, gate.reason);
  if (await rules.isAllowed(gate)) return null;
  return fail(
    "approval_needed",
    `A person must approve this call of ${tool.name}, and code cannot wait for that. Call ${tool.name} directly.`,
  );
}

/** What memory and skills store counts as the agent's own words, and code may pass on what it has read. */
function findSourceRefusal(tool: Tool, hasReadContent: boolean): ToolResult | null {
  if (!hasReadContent || tool.effect !== "keyed" || tool.marksContent) return null;
  return fail(
    "content_read",
    `This code has read text from outside, which ${tool.name} must not store as yours. Print what matters, then call ${tool.name} directly.`,
  );
}

/** Lets calls that only read run side by side, up to a limit, and every other call alone, in the order in which they come. */
function createTurnstile(maxParallel: number): (isShared: boolean) => Promise<() => void> {
  const waiting: { isShared: boolean; enter(): void }[] = [];
  let shared = 0;
  let isTaken = false;
  const admit = () => {
    for (let next = waiting[0]; next && !isTaken; next = waiting[0]) {
      if (next.isShared ? shared >= Math.max(1, maxParallel) : shared > 0) return;
      waiting.shift();
      if (next.isShared) shared++;
      else isTaken = true;
      next.enter();
    }
  };
  return async (isShared) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.push({ isShared, enter: resolve });
    admit();
    await promise;
    return () => {
      if (isShared) shared--;
      else isTaken = false;
      admit();
    };
  };
}
