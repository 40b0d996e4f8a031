// Four kinds of tests, told apart by name:
//   *.test.ts          pure logic, in Node
//   *.workers.test.ts  inside workerd, on real Durable Objects, R2 and KV
//   *.stack.test.ts    the three Workers together, or child processes
//   *.browser.test.ts  the page in a real Chromium; left out where there is none
import { availableParallelism } from "node:os";
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { findChromium } from "./scripts/chromium.ts";
import { buildPage } from "./scripts/dashboard/build.ts";
import { fetchSingleModules } from "./test/support/runners/fetch-single-modules.ts";

const markdown = {
  name: "markdown-as-text",
  enforce: "pre" as const,
  transform(code: string, id: string) {
    return id.endsWith(".md") ? { code: `export default ${JSON.stringify(code)};`, map: null } : undefined;
  },
};

const dependencies = [
  "@anthropic-ai/sdk/client",
  "@hono/zod-openapi",
  "@modelcontextprotocol/client",
  "@modelcontextprotocol/client/ext/skills",
  "@modelcontextprotocol/server",
  "@noble/hashes/sha2.js",
  "@noble/hashes/utils.js",
  "eventsource-parser",
  "fastest-levenshtein",
  "hono",
  "hono/body-limit",
  "hono/http-exception",
  "just-bash",
  "lru-cache",
  "openai",
  "stemmer",
  "ulid",
  "yaml",
  "zod",
];

/** For what never ends: how long a test may take says more of the machine than of the product. */
const TIMEOUT_MS = 30_000;

/** At least four, however few the cores are: tests of a stack mostly wait for other processes. */
const MAX_WORKERS = Math.max(4, availableParallelism());

const { missing: noBrowser } = findChromium();
/** At the end, where it is seen; once, however often this file is loaded. */
function sayLeftOut(): void {
  console.error(`The tests in a browser (test/browser) were left out. ${noBrowser}`);
}
const isWhole = !process.argv.some((argument) => argument.startsWith("--project"));
if (noBrowser && isWhole && !process.listeners("exit").some(({ name }) => name === sayLeftOut.name))
  process.once("exit", sayLeftOut);

/**
 * Begins with the longest files, those of the stack, and ends with the short ones of node, which fill the pauses. A file of
 * `workers` needs no new workerd when it follows another one. So they run one after the other beside the first of the stack.
 */
class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const [node, stack, workers, browser] = ["node", "stack", "workers", "browser"].map((name) =>
      sorted.filter(({ project }) => project.name === name),
    ) as [TestSpecification[], TestSpecification[], TestSpecification[], TestSpecification[]];
    const first = stack.splice(0, MAX_WORKERS - 1);
    return [...workers.splice(0, 1), ...first, ...workers, ...stack, ...node, ...browser];
  }
}

const browser = {
  plugins: [markdown],
  test: {
    name: "browser",
    // The files share one stack and one Chromium. After all others, because a page that waits for a core looks like one that is broken.
    isolate: false,
    maxWorkers: 2,
    sequence: { groupOrder: 1 },
    include: ["test/browser/**/*.browser.test.ts"],
    globalSetup: ["test/browser/support/global-setup.ts"],
    // A walk over all pages takes most of a minute on two free cores. Each of its steps has a timeout of its own.
    testTimeout: 300_000,
    hookTimeout: 120_000,
  },
};

// The assets of wrangler.toml, which the project `workers` loads.
await buildPage();

export default defineConfig({
  test: {
    maxWorkers: MAX_WORKERS,
    sequence: { sequencer: LongFilesFirst },
    projects: [
      {
        plugins: [markdown],
        test: {
          name: "node",
          testTimeout: TIMEOUT_MS,
          // Files of a worker share its modules, which keep nothing but caches: loading them anew took 40 % of the time.
          isolate: false,
          include: ["test/**/*.test.ts"],
          exclude: ["test/**/*.{workers,stack,browser}.test.ts"],
        },
      },
      {
        plugins: [
          markdown,
          cloudflareTest({
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: {
              bindings: { TALARIA_OPERATOR_TOKEN: "operator-token-for-tests" },
              // Bound, and used only by the tests of code in Dynamic Workers: the setting `code.sandbox` is not `dynamic`.
              workerLoaders: { LOADER: {} },
            },
          }),
          fetchSingleModules(),
        ],
        test: {
          name: "workers",
          testTimeout: TIMEOUT_MS,
          // Files share the Worker and its stores, in which each has profiles of its own: loading it for each took half of the time.
          isolate: false,
          include: ["test/**/*.workers.test.ts"],
          globalSetup: ["test/support/wires/model-server-setup.ts"],
          // Bundled once, the big dependencies cost a third of what they did.
          deps: {
            optimizer: {
              ssr: { enabled: true, include: dependencies, rolldownOptions: { external: [/^node:/] } },
            },
          },
        },
      },
      {
        plugins: [markdown],
        test: {
          name: "stack",
          // Wrangler is then loaded once for several files.
          isolate: false,
          include: ["test/**/*.stack.test.ts"],
          globalSetup: ["test/support/build-setup.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      ...(noBrowser ? [] : [browser]),
    ],
  },
});
