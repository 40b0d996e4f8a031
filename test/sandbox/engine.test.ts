// One instance of QuickJS: what a trap does in a function of the host.
import { expect, onTestFinished, test, vi } from "vitest";
import { newHostFunction, startEngine } from "../../core/sandbox/engine.ts";
import { quickjs } from "../support/quickjs.ts";

test("a trap inside a function of the host ends the instance, and nothing is logged", async () => {
  const logged = vi.spyOn(console, "error").mockImplementation(() => {});
  onTestFinished(() => logged.mockRestore());
  const engine = await startEngine(quickjs);
  const { vm } = engine.newContext();
  const work = newHostFunction(engine, vm, "work", () => {
    engine.setFuel(1);
    vm.newString("x".repeat(100_000)).dispose();
  });
  vm.setProp(vm.global, "work", work);
  expect(() => vm.evalCode("work(); 1")).toThrow("unreachable");
  expect(engine.hasRunOut()).toBe(true);
  expect(logged).not.toHaveBeenCalled();
});
