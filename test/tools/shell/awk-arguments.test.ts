import { describe, expect, test } from "vitest";
import { adaptAwkArguments } from "../../../core/tools/shell/awk-arguments.ts";

async function adapt(...args: string[]) {
  const files: Record<string, string> = { "p.awk": "{print $1}", "lib.awk": "function f(x) {return x}" };
  const adapted = await adaptAwkArguments(args, async (path) => files[path] ?? null);
  return adapted.ok ? adapted.args : adapted.message;
}

describe("arguments of awk", () => {
  test.each([
    [
      ["-F|", "{print}", "t"],
      ["-F", "[|]", "{print}", "t"],
    ],
    [
      ["-F", ".", "{print}"],
      ["-F", "[.]", "{print}"],
    ],
    [
      ["-F^", "{print}"],
      ["-F", "\\^", "{print}"],
    ],
    [
      ["-F;", "{print}"],
      ["-F", ";", "{print}"],
    ],
    [
      ["-F", "[,;]", "{print}"],
      ["-F", "[,;]", "{print}"],
    ],
    [
      ["-F\\|", "{print}"],
      ["-F", "\\|", "{print}"],
    ],
    [
      ["-v", "k=1", "-vFS=|", "{print}"],
      ["-v", "k=1", "-F", "[|]", "{print}"],
    ],
    [
      ["{print}", "FS=|", "n=2", "t", "n=3"],
      ["-F", "[|]", "-v", "n=2", "{print}", "t", "n=3"],
    ],
    [
      ["-f", "p.awk", "t"],
      ["{print $1}", "t"],
    ],
    [
      ["-flib.awk", "-f", "p.awk", "t"],
      ["function f(x) {return x}\n{print $1}", "t"],
    ],
    [
      ["--", "{print}", "-x"],
      ["{print}", "-x"],
    ],
    [['BEGIN{FS="|"; OFS="|"} {print}'], ['BEGIN{FS="[|]"; OFS="|"} {print}']],
    [['BEGIN{FS=","} {x = FS"."}'], ['BEGIN{FS=","} {x = FS"."}']],
    [["--version"], ["--version"]],
    [[], []],
  ])("%j become %j", async (args, expected) => {
    expect(await adapt(...args)).toEqual(expected);
  });

  test("a missing program file is named", async () => {
    expect(await adapt("-f", "none.awk", "t")).toBe("awk: can't open file none.awk");
  });
});
