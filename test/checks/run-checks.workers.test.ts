// The same lists in workerd, with the WebAssembly module of the Workers' bundles.
import { expect, it } from "vitest";
import quickjs from "#wasm/quickjs.wasm";
import { createCheckRunner } from "../../core/checks/run-checks.ts";
import { FAILING, HOLDING, HOSTILE } from "./hostile.ts";

const runChecks = createCheckRunner(quickjs);

it.each([...HOLDING, ...FAILING, ...HOSTILE])(
  "%s",
  { timeout: 30_000 },
  async (_what, files, { why = /^$/, output: _output, ...rest }) => {
    expect(await runChecks(files)).toMatchObject([{ why: expect.stringMatching(why), ...rest }]);
  },
);
