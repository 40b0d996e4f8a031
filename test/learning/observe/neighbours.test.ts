import { describe, expect, it } from "vitest";
import { isSimilarTurn, toComparedTurn, toNeighbourhood } from "../../../core/learning/observe/neighbours.ts";
import type { TurnSignature } from "../../../core/schemas/learning/learning.ts";
import { SESSION } from "../sample.ts";

const loaded = (skill: string, text = "a") => ({ skill, text: text.repeat(64) });

function turn(n: number, over: Partial<TurnSignature> & { calls?: number } = {}): TurnSignature {
  const { calls = 4, ...more } = over;
  return {
    turn: `${SESSION}-${n}`,
    session: SESSION,
    at: n,
    request: "Average the prices in the export",
    tools: { terminal: 2 },
    loaded: [],
    outcome: "success",
    judge: "exit",
    recovered: false,
    effort: { calls, failedCalls: 0, tokens: 100 },
    heldOut: false,
    ...more,
  };
}

function neighbourhoodOf(one: TurnSignature, others: TurnSignature[], discount: number) {
  const compared = others.map((other) => toComparedTurn(other));
  return toNeighbourhood(toComparedTurn(one), compared, discount);
}

describe("similar turns", () => {
  it("are earlier turns with a similar request, without the turn itself, whatever the order of the list", () => {
    const others = [turn(1), turn(2, { outcome: "unknown" }), turn(3, { request: "Write a poem" }), turn(5), turn(9)];
    const of = (list: TurnSignature[]) => neighbourhoodOf(turn(5), list, 0.8);
    expect(of(others)).toMatchObject({ similar: 2, successes: 1, best: { calls: 4, turn: `${SESSION}-1` } });
    expect(of(others.toReversed())).toEqual(of(others));
    expect(of([])).toEqual({ similar: 0, successes: 0, best: null, skills: {} });
  });

  it("are turns of the same kind of work if a model has named both, whatever their wording", () => {
    const of = (text: string, request: string) => turn(1, { request, kind: { text, by: "title" } });
    const one = { ...of("renew a TLS certificate", "The lock in the browser is red"), turn: `${SESSION}-5`, at: 5 };
    const similar = (other: TurnSignature) => neighbourhoodOf(one, [other], 0.8).similar;
    expect(similar(of("renew TLS certificates", "Site says not secure"))).toBe(1);
    expect(similar(of("repair a bicycle", "The lock in the browser is red"))).toBe(0);
    // Kinds that share a word do not decide. Turns without a kind are compared by their words.
    expect(similar(of("install a certificate", "The lock in the browser is red"))).toBe(1);
    expect(similar(of("install a certificate", "Site says not secure"))).toBe(0);
    expect(similar(turn(1, { request: "The lock in the browser is red" }))).toBe(1);
  });

  it("of other sessions are ordered by the clock", () => {
    const other = { session: "01JZZZZZZZZZZZZZZZZZZZZZZ0" };
    const others = [turn(1, { ...other, at: 4 }), turn(2, { ...other, at: 6 })];
    expect(neighbourhoodOf(turn(5), others, 0.8).similar).toBe(1);
  });

  it("have the cheapest success: fewest calls, then fewest tokens", () => {
    const dear = turn(1, { calls: 3, effort: { calls: 3, failedCalls: 0, tokens: 500 } });
    const failed = turn(3, { calls: 1, outcome: "failure" });
    expect(neighbourhoodOf(turn(5), [dear, turn(2, { calls: 3 }), failed], 0.8).best).toMatchObject({
      ...{ calls: 3, tokens: 100, turn: `${SESSION}-2` },
    });
  });

  it("without a skill are its baseline: the newest judged one counts fully, each older one less", () => {
    const others = [
      turn(1, { outcome: "success", calls: 10 }),
      turn(2, { outcome: "unknown", calls: 99 }),
      turn(3, { outcome: "failure", calls: 6, heldOut: true }),
      turn(4, { outcome: "success", calls: 2, loaded: [loaded("x")] }),
    ];
    const { skills } = neighbourhoodOf(turn(5, { loaded: [loaded("x"), loaded("y")] }), others, 0.5);
    expect(skills.x).toEqual({
      without: { turns: 3, successes: 0.5, failures: 1, calls: 8 },
      best: { calls: 2, failedCalls: 0, tokens: 100, turn: `${SESSION}-4` },
    });
    expect(skills.y).toEqual({ without: { turns: 4, successes: 1.25, failures: 0.5, calls: 6 }, best: null });
  });

  it("give the best turn of a text, not of another text of the skill", () => {
    const others = [turn(1, { loaded: [loaded("x", "b")], calls: 1 }), turn(2, { loaded: [loaded("x")], calls: 7 })];
    expect(neighbourhoodOf(turn(5, { loaded: [loaded("x")] }), others, 0.8).skills.x?.best?.calls).toBe(7);
  });
});

describe("two turns", () => {
  const alike = (a: Partial<TurnSignature>, b: Partial<TurnSignature>) =>
    isSimilarTurn(toComparedTurn(turn(1, a)), toComparedTurn(turn(2, b)));
  it("are compared by their tools when their words do not decide", () => {
    // Two of ten words each way: 0.4.
    const pair = ["Average prices export April", "Average prices sorted listed printed chart"] as const;
    expect(alike({ request: pair[0] }, { request: pair[1] })).toBe(true);
    expect(alike({ request: pair[0] }, { request: pair[1], tools: { write_file: 2 } })).toBe(false);
    expect(alike({ request: pair[0], tools: {} }, { request: pair[1], tools: {} })).toBe(false);
  });

  it("with only one word in common are not similar, whatever their tools", () => {
    expect(alike({ request: "Average prices" }, { request: "Average temperature outside" })).toBe(false);
  });
});
