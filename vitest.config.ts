// Three kinds of tests, told apart by name:
//   *.test.ts          pure logic, in Node
//   *.workers.test.ts  inside workerd, on real Durable Objects, R2 and KV
//   *.stack.test.ts    the three Workers together, or child processes
import { availableParallelism } from "node:os";
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

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
  "ulid",
  "yaml",
  "zod",
];

/** For what never ends: how long a test may take says more of the machine than of the product. */
const TIMEOUT_MS = 30_000;

export default defineConfig({
  test: {
    // At least four, whatever the cores: tests of a stack mostly wait for other processes.
    maxWorkers: Math.max(4, availableParallelism()),
    projects: [
      {
        plugins: [markdown],
        test: {
          name: "node",
          testTimeout: TIMEOUT_MS,
          // Files of a worker share its modules, which keep nothing but caches: loading them anew took 40 % of the time.
          isolate: false,
          include: ["test/**/*.test.ts"],
          exclude: ["test/**/*.{workers,stack}.test.ts"],
        },
      },
      {
        plugins: [
          markdown,
          cloudflareTest({
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: { bindings: { TALARIA_OPERATOR_TOKEN: "operator-token-for-tests" } },
          }),
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
          include: ["test/**/*.stack.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
