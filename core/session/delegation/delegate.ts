// The parent's side of `delegate_task`: plans the children of a call, says what the call waits for, and what they returned. Implements
// the port of the tool over the session's log. The outbox (carry-child.ts) sends the orders.
import type { CallWait } from "../../agent/contract.ts";
import type { SessionId } from "../../schemas/ids.ts";
import type { ChildRecord, ChildTask } from "../../schemas/sessions/delegation.ts";
import type { Delegation, GivenTask } from "../../tools/delegation/delegate-task.ts";
import { currentChoice } from "../choice/choice.ts";
import type { EngineContext } from "../context.ts";
import { shareBudget } from "../ledger.ts";
import { profileSettings } from "../prompt/profile-settings.ts";
import { hasReadInTurn } from "../prompt/todos.ts";
import { spillResult } from "../turn/journal/spill.ts";
import { isOpenChild, openChildRows, toChildId } from "./child-rows.ts";
import { clipGoal, orderRow, watchRow } from "./settle-children.ts";

export function createDelegation(context: EngineContext): Delegation {
  const { host } = context;
  const rows = openChildRows(context);
  return {
    maxTaskChars: host.settings.turn.maxMessageChars,
    wait(op, tasks) {
      const known = rows.ofCall(op);
      if (known.length > 0 && !known.some(isOpenChild)) return null;
      const children = known.length > 0 ? known : planChildren(context, op, tasks);
      const wait = toWait(children, host.settings.delegation.waitMs);
      return known.length > 0 ? wait : { ...wait, record: () => putChildren(context, op, children) };
    },
    ended: (op) => rows.ofCall(op),
    spill: (place, text, source) => spillResult(context, place, text, source),
  };
}

/** Changes nothing yet. */
function planChildren(context: EngineContext, op: string, tasks: GivenTask[]): ChildRecord[] {
  const { host, log, taint, storedMeta } = context;
  const { learning, backend, tools, depth = 0 } = storedMeta();
  const [turn] = log.openTurns();
  const { personality: _, ...choice } = currentChoice(context);
  const budget = shareBudget(context, turn!, tasks.length);
  const hasRead = hasReadInTurn(log);
  const settingsRev = profileSettings(context).rev;
  return tasks.map(({ goal, text }, at): ChildRecord => {
    const given: ChildTask = {
      parent: host.session,
      title: clipGoal(goal),
      text,
      source: hasRead || taint.isTainted(text) ? "content" : "own",
      learning,
      ...(backend && { backend }),
      ...(tools && { tools }),
      ...(Object.keys(choice).length > 0 && { choice }),
      depth: depth + 1,
      budget,
      ...(settingsRev > 0 && { settingsRev }),
      createdAt: host.clock.now(),
    };
    const session: SessionId = toChildId(host.session, op, at + 1);
    const place = { op, turn: turn!.n, task: at + 1 };
    return { v: 1, session, ...place, goal: clipGoal(goal), state: "starting", given, endedAt: null };
  });
}

/** Inside the transaction that parks the turn. */
function putChildren(context: EngineContext, op: string, children: ChildRecord[]): void {
  const { host, jobs } = context;
  const rows = openChildRows(context);
  const now = host.clock.now();
  for (const child of children) {
    rows.put(child);
    jobs.put(orderRow(child.session), now, { kind: "child", session: child.session, order: "begin" });
  }
  jobs.put(watchRow(op), now + host.settings.delegation.stallMs, { kind: "children", op });
}

function toWait(children: ChildRecord[], waitMs: number): CallWait {
  const { op: id, given } = children[0]!;
  const tasks = children.map(({ session, goal }) => ({ session, goal }));
  const lines = tasks.map(({ goal }, at) => `${at + 1}. ${goal}`);
  return {
    asked: { for: "children", id, until: given.createdAt + waitMs, tasks },
    code: "children_begun",
    text: [
      `Delegated ${tasks.length === 1 ? "a task" : `${tasks.length} tasks`}, and waiting for the results:`,
      ...lines,
    ].join("\n"),
  };
}
