// A session with one tool that asks, for tests of turns that wait for a person.
import * as z from "zod";
import type { CallGate, Tool } from "../../../core/agent/contract.ts";
import { renderParts, succeed } from "../../../core/agent/tool-result.ts";
import type { ApprovalInfo } from "../../../core/schemas/api.ts";
import type { StandingAllowance } from "../../../core/schemas/approvals/approval.ts";
import type { Entry } from "../../../core/schemas/entry.ts";
import type { ScriptLine } from "../wires/scripted-model.ts";
import { type SessionOptions, createScriptedSession, must } from "./scripted-session.ts";

export const HOUR_MS = 60 * 60_000;

/** A machine whose commands ask: `rm` is dangerous, `npm` has a family, `nuke` is refused. */
function createMachine() {
  const ran: string[] = [];
  const gate = ({ command }: { command: string }): CallGate => {
    const [program, sub] = command.split(" ");
    if (program === "look") return { verdict: "run" };
    if (program === "nuke") return { verdict: "refuse", code: "command_refused", reason: "Never." };
    const reasons = program === "rm" ? ["It deletes files."] : [];
    const family = program === "npm" ? { family: `npm ${sub}` } : {};
    return { verdict: "ask", summary: command, reasons, allowance: { exact: command, ...family } };
  };
  const tool: Tool<{ command: string }> = {
    ...{ name: "run", description: "Runs.", parameters: z.strictObject({ command: z.string() }), effect: "unkeyed" },
    ...{ gate, failsOften: true },
    async run({ command }) {
      ran.push(command);
      return succeed({ exit_code: 0, ran: command });
    },
  };
  return { ran, tool };
}

export const call = (...commands: string[]): ScriptLine => ({
  calls: commands.map((command, i) => ({ name: "run", id: `c${i}-${command.length}`, args: { command } })),
});

export async function createParkedSession(
  script: ScriptLine[],
  { settings = {}, tools = [], ...rest }: SessionOptions = {},
) {
  const machine = createMachine();
  const session = await createScriptedSession(script, {
    ...{ learning: "off", tools: [machine.tool, ...tools], settings: { review: { enabled: false }, ...settings } },
    ...rest,
  });
  const { engine, life } = session;
  return {
    ...session,
    ran: machine.ran,
    tool: machine.tool,
    approvals: () => must(engine.listApprovals()),
    waiting: () => must(engine.listApprovals()).filter(({ state }) => state === "waiting"),
    turn: (n = 1) => engine.detail()!.turns.find((row) => row.n === n)!,
    async decide(decision: Parameters<typeof engine.decideApproval>[1], id = pickId(must(engine.listApprovals()))) {
      const decided = await engine.decideApproval(id, decision);
      await life.settled();
      return decided;
    },
  };
}

/** The question that waits, or else any other. */
const pickId = (all: ApprovalInfo[]) => (all.find(({ state }) => state === "waiting") ?? all.at(-1)!).id;
export const results = (entries: Entry[]) =>
  entries.flatMap((entry) => (entry.kind === "tool" ? [JSON.parse(renderParts(entry.parts)) as object] : []));
export const codesOf = (all: ApprovalInfo[]) => all.map(({ state }) => state);
export const codes = (entries: Entry[]) => entries.flatMap((entry) => (entry.kind === "notice" ? [entry.code] : []));

/** Its profile has an Account that keeps allowances. `isFull`: it can keep no more. */
export async function createParkedSessionWithProfile(
  script: ScriptLine[],
  { isFull = false, mode = null as "manual" | null, settings = {} } = {},
) {
  const kept: StandingAllowance[] = [];
  const others = Array.from({ length: isFull ? 200 : 0 }, (_, i): StandingAllowance => {
    return { v: 1, id: String(i).padStart(20, "0"), kind: "exact", key: `other ${i}`, at: 0 };
  });
  const session = await createParkedSession(script, {
    settings,
    approvals: {
      read: async () => ({ mode, allowances: [...others, ...kept] }),
      async allow(allowance) {
        if (!kept.some(({ id }) => id === allowance.id)) kept.push({ ...allowance, v: 1 });
        return { ok: true, value: null };
      },
      async revoke(id) {
        const at = kept.findIndex((one) => one.id === id);
        if (at >= 0) kept.splice(at, 1);
        return at >= 0;
      },
    },
  });
  return { ...session, kept };
}
