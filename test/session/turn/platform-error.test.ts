import { expect, it } from "vitest";
import { classifyPlatformError } from "../../../core/session/turn/platform-error.ts";

it.each([
  [new Error("Durable Object's isolate exceeded its memory limit and was reset."), "memory"],
  [new Error("Durable Object reset because its code was updated."), "replaced"],
  [new Error("This script has been upgraded. Please send a new request to connect to the new version."), "replaced"],
  [new Error("Network connection lost."), "replaced"],
  [Object.assign(new Error("internal error"), { durableObjectReset: true }), "replaced"],
  [new Error("put failed", { cause: new Error("Worker exceeded its memory limit") }), "memory"],
  [new Error("SQLITE_FULL"), "other"],
  ["a string", "other"],
  [undefined, "other"],
] as const)("the platform error %s is classified as %s", (thrown, kind) => {
  expect(classifyPlatformError(thrown)).toBe(kind);
});

it("the classification follows only a limited number of causes", () => {
  const error = new Error("loop");
  error.cause = error;
  expect(classifyPlatformError(error)).toBe("other");
});
