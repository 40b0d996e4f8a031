import { describe, expect, it } from "vitest";
import { parseArguments, toArgumentText, toToolCalls } from "../../../core/models/wires/wire-calls.ts";

describe("parseArguments", () => {
  it("takes one JSON object, and nothing for no arguments", () => {
    expect(parseArguments('{"a":[1]}')).toEqual({ args: { a: [1] } });
    expect(parseArguments("  ")).toEqual({ args: {} });
  });

  it("keeps as malformed what is no object", () => {
    for (const text of ["[]", "null", '"x"', "7", '{"a":']) {
      expect(parseArguments(text)).toEqual({ args: {}, malformed: text });
    }
  });

  it("keeps as malformed what is nested deeper than can be written again", () => {
    const nest = (depth: number) => `{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`;
    expect(parseArguments(nest(50)).malformed).toBeUndefined();
    expect(() => JSON.stringify(JSON.parse(nest(100_000)))).toThrow(RangeError);
    expect(parseArguments(nest(100_000))).toEqual({ args: {}, malformed: nest(100_000) });
  });
});

describe("toToolCalls", () => {
  it("leaves a good call as it is", () => {
    expect(toToolCalls([{ id: "toolu_01", name: "read_file", arguments: '{"path":"a"}' }], 3)).toEqual([
      { id: "toolu_01", name: "read_file", args: { path: "a" } },
    ]);
  });

  it("spells names so that every provider takes them back", () => {
    const names = ["functions.read_file", "read file", "", "1st", "-x", "ü".repeat(100), "9".repeat(64)];
    const calls = toToolCalls(
      names.map((name, n) => ({ id: `c${n}`, name, arguments: "" })),
      0,
    );
    expect(calls.map(({ name }) => name)).toEqual([
      ...["functions_read_file", "read_file", "unnamed", "_1st", "_-x", "_".repeat(64), `_${"9".repeat(63)}`],
    ]);
  });
});

describe("toArgumentText", () => {
  it("writes what came as JSON, and says of the bottomless that it cannot be read", () => {
    let deep: unknown = 1;
    for (let n = 0; n < 100_000; n++) deep = [deep];
    expect([undefined, null, "{", { a: 1 }, [1]].map(toArgumentText)).toEqual(["{}", "{}", "{", '{"a":1}', "[1]"]);
    expect(parseArguments(toArgumentText(deep)).malformed).toBe("(arguments nested too deep to be read)");
  });
});
