import { describe, expect, it } from "vitest";
import {
  type GuardSettings,
  type GuardState,
  type GuardedCall,
  NO_CALLS,
  decideCall,
  observeCall,
  toGuardedCall,
  toGuardedResult,
} from "../../core/agent/guardrails.ts";
import type { Effect } from "../../core/agent/contract.ts";
import { fail, succeed } from "../../core/agent/tool-result.ts";
import { DEFAULTS } from "../../core/limits.ts";

const EFFECTS: Record<string, Effect> = {
  look: "read",
  job_poll: "read",
  job_get_result: "read",
  process_list: "unkeyed",
  save: "keyed",
  shell: "unkeyed",
  web_search: "read",
};

/**
 * A call and its result in one word: `look(a)=1` succeeded with result 1, `save(a)!2` failed with result 2. There is no tool
 * `unknown`.
 */
function play(words: string, settings: Partial<GuardSettings> = {}, hardStops = true) {
  const guard: GuardSettings = { ...DEFAULTS.guardrails, ...settings };
  let state: GuardState = NO_CALLS;
  const log: string[] = [];
  for (const word of words.split(/\s+/).filter(Boolean)) {
    const [, tool, arg, mark, fingerprint] = /^(\w+)\((\w*)\)([=!])(\w+)$/.exec(word)!;
    const call = toCall(tool!, arg!);
    const before = decideCall(guard, state, call, { pending: [], hardStops });
    if (before.action === "synthesise") {
      log.push(before.code);
      state = observeCall(guard, state, call, refused(before.code), hardStops).state;
      continue;
    }
    const result = { failed: mark === "!", fingerprint: fingerprint!, refused: false };
    const { state: next, decision } = observeCall(guard, state, call, result, hardStops);
    state = next;
    log.push(decision.action === "allow" ? "-" : `${decision.action} ${decision.code}`);
  }
  return log;
}

const refused = (code: string) => ({ failed: true, fingerprint: `refused ${code}`, refused: true });

function toCall(name: string, arg: string): GuardedCall {
  const effect = EFFECTS[name];
  const tool = effect && { effect, failsOften: name === "shell" };
  return toGuardedCall({ id: "x", name, args: { arg } }, tool);
}

const repeat = (words: string, times: number) => Array.from({ length: times }, () => words).join(" ");
/** `n` calls that differ in arguments and result. */
const varied = (tool: string, mark: string, n: number) =>
  Array.from({ length: n }, (_, i) => `${tool}(a${i})${mark}r${i}`).join(" ");

describe("the guardrails of a turn", () => {
  it.each<[string, string, string[]]>([
    ["ignore different calls", "look(a)=1 look(b)=2 save(c)=3", ["-", "-", "-"]],
    [
      "warn of the second failure of a call, and refuse it after the fifth",
      "save(a)!1 save(a)!2 save(a)!3 save(a)!4 save(a)!5 save(a)!6",
      ["-", ...repeat("warn_repeated_failure", 4).split(" ").map(spaced), "repeated_failure"],
    ],
    [
      "end the count at a success of the same call",
      "look(a)!1 look(a)=2 look(a)!3 look(a)!4",
      ["-", "-", "-", "warn repeated_failure"],
    ],
    [
      "warn of a tool that fails three times in a row, with any arguments, and halt at eight",
      varied("save", "!", 8),
      ["-", "-", ...repeat("warn_tool_keeps_failing", 5).split(" ").map(spaced), "halt tool_keeps_failing"],
    ],
    [
      "never halt for a tool whose failures are part of its work",
      varied("shell", "!", 12),
      ["-", "-", ...repeat("warn_tool_keeps_failing", 10).split(" ").map(spaced)],
    ],
    ["count the failures of an unknown tool name", varied("unknown", "!", 3), ["-", "-", "warn tool_keeps_failing"]],
    [
      "warn of a second call with the same result, and refuse it after five",
      "look(a)=1 look(b)=2 look(a)=1 look(c)=3 look(a)=1 look(d)=4 look(a)=1 look(e)=5 look(a)=1 look(f)=6 look(a)=1",
      [
        "-",
        "-",
        "warn no_progress",
        "-",
        "warn no_progress",
        "-",
        "warn no_progress",
        "-",
        "warn no_progress",
        "-",
        "no_progress",
      ],
    ],
    ["start the count again if a call gives another result", "look(a)=1 look(a)=2 look(a)=3", ["-", "-", "-"]],
    [
      "drop the earlier result if the call fails",
      "look(a)=1 look(b)=9 look(a)!2 look(c)=8 look(a)=1",
      ["-", "-", "-", "-", "-"],
    ],
    [
      "start the count again after a change",
      "look(a)=1 look(b)=2 look(a)=1 look(c)=3 look(a)=1 look(d)=4 look(a)=1 look(e)=5 look(a)=1 save(x)=6 look(a)=1",
      [
        "-",
        "-",
        "warn no_progress",
        "-",
        "warn no_progress",
        "-",
        "warn no_progress",
        "-",
        "warn no_progress",
        "-",
        "warn no_progress",
      ],
    ],
    [
      "treat a successful change as progress: a failed call may be tried again",
      "save(a)!1 save(b)!2 shell(c)=3 save(a)!1 save(b)!2 save(c)!3",
      ["-", "-", "-", "-", "-", "warn tool_keeps_failing"],
    ],
    [
      "do not treat a success that changes nothing as progress",
      "save(a)!1 look(b)=2 save(a)!1",
      ["-", "-", "warn repeated_failure"],
    ],
    [
      "warn at three identical calls in a row with the same result, and halt at five, also for writers",
      repeat("save(a)=1", 5),
      ["-", "-", "warn identical_calls", "warn identical_calls", "halt identical_calls"],
    ],
    ["count only such calls in a row", "save(a)=1 save(a)=1 save(b)=1 save(a)=1 save(a)=1", ["-", "-", "-", "-", "-"]],
    ["ignore pollers that repeat the same call", repeat("process_list()=1", 8), Array(8).fill("-")],
    [
      "still count a poller's unchanged result as no progress",
      repeat("job_poll()=1", 6),
      ["-", ...repeat("warn_no_progress", 4).split(" ").map(spaced), "no_progress"],
    ],
    [
      "warn of a cycle of two after three laps, and halt after five",
      repeat("save(a)=1 save(b)=2", 5),
      [
        "-",
        "-",
        "-",
        "-",
        "-",
        ...repeat("warn_repeating_cycle", 4).split(" ").map(spaced).slice(0, 4),
        "halt repeating_cycle",
      ].slice(0, 10),
    ],
    [
      "detect a cycle of three",
      repeat("save(a)=1 save(b)=2 save(c)=3", 5),
      [...Array(8).fill("-"), ...Array(6).fill("warn repeating_cycle"), "halt repeating_cycle"],
    ],
    [
      "detect a cycle of four",
      repeat("save(a)=1 save(b)=2 save(c)=3 save(d)=4", 5),
      [...Array(11).fill("-"), ...Array(8).fill("warn repeating_cycle"), "halt repeating_cycle"],
    ],
    ["detect no cycle of five", repeat("save(a)=1 save(b)=2 save(c)=3 save(d)=4 save(e)=5", 6), Array(30).fill("-")],
    [
      "detect no cycle if one result differs",
      "save(a)=1 save(b)=2 save(a)=3 save(b)=4 save(a)=5 save(b)=6 save(a)=7 save(b)=8",
      Array(8).fill("-"),
    ],
    ["detect no cycle in polling between waits", repeat("save(w)=1 process_list()=2", 6), Array(12).fill("-")],
  ])("%s", (_title, words, expected) => {
    expect(play(words)).toEqual(expected);
  });

  it.each<[string, string, Partial<GuardSettings>, string[]]>([
    [
      "sameFailure",
      repeat("look(a)!1 look(b)=2", 6),
      { sameFailure: { warn: 0, hard: 0 }, cycle: { warn: 0, hard: 0 }, noProgress: { warn: 0, hard: 0 } },
      Array(12).fill("-"),
    ],
    ["sameToolFailure", varied("save", "!", 10), { sameToolFailure: { warn: 0, hard: 0 } }, Array(10).fill("-")],
    [
      "noProgress",
      "look(a)=1 look(b)=2 look(a)=1 look(c)=3 look(a)=1",
      { noProgress: { warn: 0, hard: 0 } },
      Array(5).fill("-"),
    ],
    ["identical", repeat("save(a)=1", 9), { identical: { warn: 0, hard: 0 } }, Array(9).fill("-")],
    ["cycle", repeat("save(a)=1 save(b)=2", 9), { cycle: { warn: 0, hard: 0 } }, Array(18).fill("-")],
    ["caps", varied("web_search", "=", 60), { caps: { web_search: 0 } }, Array(60).fill("-")],
    ["warnings", repeat("save(a)=1", 4), { warnings: false }, Array(4).fill("-")],
  ])("are off for %s if the setting is 0 or false", (_name, words, settings, expected) => {
    expect(play(words, settings)).toEqual(expected);
  });

  it("only warn while a person is watching", () => {
    expect(play(repeat("save(a)=1", 7), {}, false)).toEqual(["-", "-", ...Array(5).fill("warn identical_calls")]);
    expect(play(repeat("save(a)!1", 7), {}, false).includes("repeated_failure")).toBe(false);
  });

  it("apply a limit per turn even while a person is watching", () => {
    const log = play(varied("web_search", "=", 52), {}, false);
    expect(log).toEqual([...Array(50).fill("-"), "call_limit", "call_limit"]);
  });

  it("count earlier calls of the same batch towards a limit", () => {
    const settings = { ...DEFAULTS.guardrails, caps: { look: 2 } };
    const calls = ["a", "b", "c"].map((arg) => toCall("look", arg));
    const decisions = calls.map(
      (call, i) => decideCall(settings, NO_CALLS, call, { pending: calls.slice(0, i), hardStops: false }).action,
    );
    expect(decisions).toEqual(["allow", "allow", "synthesise"]);
  });

  it("count a refusal by the harness neither as a failure of the tool nor as a use of it", () => {
    const settings = { ...DEFAULTS.guardrails, caps: { save: 1 } };
    const call = toCall("save", "a");
    let state = NO_CALLS;
    for (let i = 0; i < 3; i++) {
      const observed = observeCall(settings, state, { ...call, signature: `save ${i}` }, refused("redirected"), true);
      expect(observed.decision).toEqual({ action: "allow" });
      state = observed.state;
    }
    expect(decideCall(settings, state, call, { pending: [], hardStops: true })).toEqual({ action: "allow" });
  });

  it("halt a turn that repeats a refused call", () => {
    const settings = DEFAULTS.guardrails;
    let state = NO_CALLS;
    const decisions: string[] = [];
    for (let i = 0; i < 5; i++) {
      const observed = observeCall(settings, state, toCall("save", "a"), refused("repeated_failure"), true);
      state = observed.state;
      decisions.push(observed.decision.action);
    }
    expect(decisions).toEqual(["allow", "allow", "warn", "warn", "halt"]);
  });

  it("remember only sixty-four calls", () => {
    let state = NO_CALLS;
    for (let i = 0; i < 100; i++) {
      const result = { failed: false, fingerprint: String(i), refused: false };
      state = observeCall(DEFAULTS.guardrails, state, toCall("look", String(i)), result, true).state;
    }
    expect(state.history).toHaveLength(64);
  });

  it("recognise a call with its arguments in any order, and distinguish malformed ones", () => {
    const tool = { effect: "read" as const };
    const call = (args: Record<string, unknown>, malformed?: string) =>
      toGuardedCall({ id: "x", name: "look", args, ...(malformed && { malformed }) }, tool).signature;
    expect(call({ a: 1, b: { c: 2, d: [3, 4] } })).toBe(call({ b: { d: [3, 4], c: 2 }, a: 1 }));
    expect(call({ a: [1, 2] })).not.toBe(call({ a: [2, 1] }));
    expect(call({}, "{oops")).not.toBe(call({}, "{other"));
  });

  it("treat a result without a fingerprint as a refusal by the harness", () => {
    expect(toGuardedResult(fail("redirected", "Not run."))).toEqual(refused("redirected"));
    expect(toGuardedResult({ ...succeed({ a: 1 }), print: "p" })).toEqual({
      failed: false,
      fingerprint: "p",
      refused: false,
    });
  });
});

function spaced(word: string): string {
  return word.replace("_", " ");
}
