// One instance of QuickJS in WebAssembly, with hard limits. Its module has a meter (scripts/meter-wasm.mjs): each function entry and
// each round of a loop, in the interpreter and in every native operation, takes one unit of fuel, and below zero the instance traps.
// No script can catch that. Used by check-sandbox.ts and quickjs-code.ts. Must never give a script a function of the host by itself.
import RELEASE_SYNC from "@jitl/quickjs-wasmfile-release-sync";
import {
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSSyncVariant,
  type QuickJSWASMModule,
  newQuickJSWASMModuleFromVariant,
  newVariant,
} from "quickjs-emscripten-core";
import { messageOf } from "../errors.ts";

export interface Engine {
  newContext(): { vm: QuickJSContext; runtime: QuickJSRuntime };
  /** What the following work may compute, in units. */
  setFuel(units: number): void;
  /** Takes units for work that the host does for the script. */
  charge(units: number): void;
  hasRunOut(): boolean;
  /** Whether the heap was larger at any time than the memory that an instance begins with. Memory never shrinks. */
  hasGrown(): boolean;
}

/**
 * Units per run. An isolate's clock stops while it computes, so a time limit is impossible. Measured on 70 hostile programs: 0.7 to
 * 10 ns a unit, most 2 to 5. So 200 million are one second, and two at most.
 */
export const RUN_FUEL = 200_000_000;
/** A job of a promise may search the full heap for memory: 40 µs for 1,250 units. This makes it as dear as other work. */
export const JOB_UNITS = 4_000;
/** For starting an instance and for freeing what a run has left. */
const SPARE_FUEL = 1_000_000_000;

/** QuickJS's own limit, at which it throws. */
const HEAP_BYTES = 16 << 20;
/** With a larger stack, deep recursion would overflow the host's stack before QuickJS notices. */
const STACK_BYTES = 128 << 10;
/**
 * Linear memory in pages of 64 KiB: the heap, QuickJS's data, and its stack. The maximum is the hard limit, since QuickJS's heap limit
 * misses some allocations.
 */
const MEMORY = { initial: 256, maximum: 384 };
export const MAX_MEMORY_BYTES = MEMORY.maximum << 16;

/** The package's types describe its CommonJS build, whose default export is one level deeper. */
const VARIANT = RELEASE_SYNC as unknown as QuickJSSyncVariant;

/** Takes 2 to 5 ms. Workers cannot compile WebAssembly at run time, so the module comes from a Worker's bundle. */
export async function startEngine(wasmModule: WebAssembly.Module): Promise<Engine> {
  const wasmMemory = new WebAssembly.Memory(MEMORY);
  let fuel: WebAssembly.Global | undefined;
  wasmMemory.grow = meterGrowth(wasmMemory, (units) => {
    if (fuel) chargeTo(fuel, units);
  });
  const instantiateWasm = (imports: WebAssembly.Imports, onSuccess: (instance: WebAssembly.Instance) => void) => {
    const instance = new WebAssembly.Instance(wasmModule, imports);
    fuel = instance.exports.fuel as WebAssembly.Global | undefined;
    onSuccess(instance);
    return instance.exports;
  };
  const variant = newVariant(VARIANT, { wasmMemory, emscriptenModule: { instantiateWasm } as object });
  const quickJs = await newQuickJSWASMModuleFromVariant(variant);
  if (!fuel) throw new Error("the QuickJS module has no meter: start with an npm script, which adds it");
  return toEngine(quickJs, fuel);
}

/**
 * The host grows the memory for QuickJS, three times for each allocation that does not fit. Measured: a failed growth takes 30 µs, and
 * `for (;;) Promise.race([p, 1])`, which catches the failures, had 1.3 million.
 */
const GROW_UNITS = 3_000;
const NO_MEMORY = new RangeError("the memory has its maximum size");

function meterGrowth(memory: WebAssembly.Memory, charge: (units: number) => void): WebAssembly.Memory["grow"] {
  const grow = memory.grow.bind(memory);
  return (pages) => {
    charge(GROW_UNITS);
    if (memory.buffer.byteLength + (pages << 16) > MAX_MEMORY_BYTES) throw NO_MEMORY;
    return grow(pages);
  };
}

function chargeTo(fuel: WebAssembly.Global, units: number): void {
  fuel.value = BigInt(Math.max(-1, Number(fuel.value) - units));
}

function toEngine(quickJs: QuickJSWASMModule, fuel: WebAssembly.Global): Engine {
  const setFuel = (units: number) => {
    fuel.value = BigInt(units);
  };
  return {
    newContext() {
      setFuel(SPARE_FUEL);
      const runtime = quickJs.newRuntime();
      runtime.setMemoryLimit(HEAP_BYTES);
      runtime.setMaxStackSize(STACK_BYTES);
      return { runtime, vm: runtime.newContext() };
    },
    setFuel,
    charge: (units) => chargeTo(fuel, units),
    hasRunOut: () => fuel.value < 0n,
    hasGrown: () => quickJs.getWasmMemory().buffer.byteLength > MEMORY.initial << 16,
  };
}

/**
 * A function of the host for scripts. When a trap of the instance ends `work`, the function returns, and the instance traps as it goes on:
 * to throw the trap into the script would trap again, and the package would log that.
 */
export function newHostFunction(
  engine: Engine,
  vm: QuickJSContext,
  name: string,
  work: (...args: QuickJSHandle[]) => QuickJSHandle | void,
): QuickJSHandle {
  return vm.newFunction(name, (...args) => {
    try {
      return work(...args);
    } catch (thrown) {
      if (!engine.hasRunOut()) throw thrown;
    }
  });
}

/** Frees what a run has left. Throws if it cannot. */
export function disposeContext(engine: Engine, { vm, runtime }: { vm: QuickJSContext; runtime: QuickJSRuntime }): void {
  engine.setFuel(SPARE_FUEL);
  vm.dispose();
  runtime.dispose();
}

/** Why a run ended before its end. `time`: it computed too long. */
export type StopReason = "time" | "memory" | "stack" | "output";

/**
 * Why a run failed. `thrown`: what the host caught, or the text of an error that the script threw or had from QuickJS. `null`: it is the
 * script's own error.
 */
export function findStopReason(engine: Engine | null, thrown: unknown): StopReason | null {
  if (engine?.hasRunOut()) return "time";
  const text = messageOf(thrown);
  const isTrap = thrown instanceof Error;
  if (isTrap ? /call stack size/i.test(text) : /^(Internal|Syntax)Error: stack overflow/.test(text)) return "stack";
  if (isTrap) return "memory"; // an access outside of its memory, or an abort
  return /^(InternalError: (out of memory|string too long)|RangeError: (BigInt is too large|invalid string length))/.test(
    text,
  )
    ? "memory"
    : null;
}
