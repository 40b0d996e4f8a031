// Ids are read where they are defined.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fromTurnId, toTurnId } from "../../core/schemas/ids.ts";

describe("a turn id", () => {
  it("is taken apart as it was put together", () => {
    const session = "01JGTT0000000000000000SESS";
    expect(fromTurnId(toTurnId(session, 17))).toEqual({ session, n: 17 });
  });

  it("is taken apart in no other place", () => {
    const cwd = join(import.meta.dirname, "../..");
    const places = globSync("{core,durable-objects,workers,cli,stores,wiring}/**/*.ts", { cwd }).filter((path) =>
      /\bturn"?\)?[!?]*\.(?:split|lastIndexOf)\("-"\)/.test(readFileSync(join(cwd, path), "utf8")),
    );
    expect(places).toEqual([]);
  });
});
