import { describe, expect, it } from "vitest";
import { parseArguments } from "../../core/models/wire-calls.ts";

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
