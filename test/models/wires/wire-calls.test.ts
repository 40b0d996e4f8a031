import { describe, expect, it } from "vitest";
import { parseArguments, toArgumentText, toToolCalls } from "../../../core/models/wires/wire-calls.ts";

describe("parseArguments", () => {
  it("accepts one JSON object, and an empty text for no arguments", () => {
    expect(parseArguments('{"a":[1]}')).toEqual({ args: { a: [1] } });
    expect(parseArguments("  ")).toEqual({ args: {} });
  });

  it("keeps anything else as malformed", () => {
    for (const text of ["[]", "null", '"x"', "7", '{"a":']) {
      expect(parseArguments(text)).toEqual({ args: {}, malformed: text });
    }
  });

  it("keeps arguments as malformed if they are nested too deeply to be written again", () => {
    const nest = (depth: number) => `{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`;
    expect(parseArguments(nest(50)).malformed).toBeUndefined();
    expect(() => JSON.stringify(JSON.parse(nest(100_000)))).toThrow(RangeError);
    expect(parseArguments(nest(100_000))).toEqual({ args: {}, malformed: nest(100_000) });
  });
});

describe("toToolCalls", () => {
  it("leaves a valid call unchanged", () => {
    expect(toToolCalls([{ id: "toolu_01", name: "read_file", arguments: '{"path":"a"}' }], 3)).toEqual([
      { id: "toolu_01", name: "read_file", args: { path: "a" } },
    ]);
  });

  it("rewrites names so that every provider accepts them again", () => {
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
  it("writes JSON values, and reports arguments of endless depth as unreadable", () => {
    let deep: unknown = 1;
    for (let n = 0; n < 100_000; n++) deep = [deep];
    expect([undefined, null, "{", { a: 1 }, [1]].map(toArgumentText)).toEqual(["{}", "{}", "{", '{"a":1}', "[1]"]);
    expect(parseArguments(toArgumentText(deep)).malformed).toBe("(arguments nested too deep to be read)");
  });
});
