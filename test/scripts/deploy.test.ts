// A deployment's steps against a double of Cloudflare's API over HTTP. deploy.stack.test.ts runs the whole command with the
// real wrangler.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PROVIDER_KINDS } from "../../core/memory/provider-env.ts";
import { checkAccount } from "../../scripts/deploy/checks.ts";
import { DeployError, openAccount } from "../../scripts/deploy/cloudflare.ts";
import { pickGivenVars, hasRealModel } from "../../scripts/deploy/config.ts";
import { dryRun } from "../../scripts/deploy/dry-run.ts";
import { createMissing, buildDeployedConfig, selectSecrets, findWarnings } from "../../scripts/deploy/plan.ts";
import { listResources } from "../../scripts/deploy/resources.ts";
import { EXEC_SECRETS as CORE_EXEC_SECRETS, EXEC_VARIABLES } from "../../core/tools/host/exec-env.ts";
import { TRAINING_SECRETS as CORE_TRAINING_SECRETS, TRAINING_VARIABLES } from "../../core/training/training-env.ts";
import { SEARCH_SECRETS as CORE_SECRETS, SEARCH_VARIABLES } from "../../core/tools/web/search/search-env.ts";
import {
  EXEC_SECRETS,
  EXEC_VARS,
  MEMORY_SECRETS,
  MEMORY_VARS,
  PLAIN_VARS,
  SEARCH_SECRETS,
  SEARCH_VARS,
  TRAINING_SECRETS,
  TRAINING_VARS,
  selectWorkerVars,
} from "../../scripts/stack/worker-vars.ts";
import { type RunWrangler, readWorkerConfigs } from "../../scripts/stack/wrangler.ts";
import { createTempFolders } from "../support/temp-folders.ts";
import { ACCOUNT_ID, CloudflareAccount } from "../support/cloudflare-account.ts";

const configs = readWorkerConfigs();
const resources = listResources(configs);
const quiet = () => {};
const loggedIn: RunWrangler = async () => ({ code: 0, output: 'a note\n{"type":"api_token","token":"t"}\n' });

let account: CloudflareAccount;
let env: Record<string, string>;
beforeEach(async () => {
  account = new CloudflareAccount();
  env = { CLOUDFLARE_API_BASE_URL: await account.start() };
});
afterEach(() => account.stop());

const open = () => openAccount(env, loggedIn);
const check = async () => checkAccount(await open(), configs, resources);
const failureOf = async (work: Promise<unknown>) => {
  const failure = await work.then(
    () => new Error("it succeeded"),
    (error: Error) => error,
  );
  expect(failure).toBeInstanceOf(DeployError);
  return failure.message;
};

describe("resourcesOf", () => {
  it("finds every bucket, namespace and queue of the three configs, dead letters included", () => {
    expect(resources).toEqual({
      buckets: ["talaria-skills"],
      namespaces: ["talaria-memory"],
      queues: ["talaria-curation", "talaria-reviews", "talaria-reviews-dead"],
    });
  });
});

describe("openAccount", () => {
  it("explains how to log in when wrangler is not logged in", async () => {
    const loggedOut: RunWrangler = async () => ({ code: 1, output: "Not logged in." });
    expect(await failureOf(openAccount(env, loggedOut))).toContain("CLOUDFLARE_API_TOKEN");
  });

  it("uses the only account, and asks which of several to use", async () => {
    expect((await open()).accountId).toBe(ACCOUNT_ID);
    account.accounts.push({ id: "f".repeat(32), name: "Another" });
    expect(await failureOf(open())).toContain(`${"f".repeat(32)} (Another)`);
  });

  it("reports a refused token or an unreachable API in one sentence", async () => {
    account.tokenValid = false;
    expect(await failureOf(open())).toContain("Invalid access token");
    await account.stop();
    expect(await failureOf(open())).toContain("could not be reached");
  });
});

describe("checkAccount", () => {
  it("accepts an empty account, and leaves nothing in it", async () => {
    expect(await check()).toEqual({ buckets: new Set(), queues: new Set(), namespaces: {}, apiSecrets: null });
    expect([...account.workers.keys()]).toEqual([]);
    expect(account.changes).toEqual([
      expect.stringMatching(/^worker talaria-check-/),
      expect.stringMatching(/^worker talaria-check-.* deleted$/),
    ]);
  });

  it("refuses the free plan before it creates anything", async () => {
    account.plan = "free";
    expect(await failureOf(check())).toMatch(/^Nothing was created\.\n.*Workers Free plan/);
    expect(account.changes).toEqual([]);
  });

  it("names all permissions that a token lacks at once", async () => {
    account.readOnly = ["workers", "r2", "queues", "storage/kv"];
    const message = await failureOf(check());
    for (const name of ["Workers Scripts", "Workers R2 Storage", "Queues", "Workers KV Storage"]) {
      expect(message).toContain(`${name}: Edit`);
    }
    expect(account.changes).toEqual([]);
  });

  it("reports a missing subdomain and disabled R2 together", async () => {
    account.subdomain = undefined;
    account.r2Enabled = false;
    const message = await failureOf(check());
    expect(message).toContain("workers.dev subdomain");
    expect(message).toContain("R2 is not enabled");
    expect(account.changes).toEqual([]);
  });

  it("finds a namespace on the second page", async () => {
    for (let n = 0; n < 130; n++) account.namespaces.set(`other-${n}`, `id-${n}`);
    account.namespaces.set("talaria-memory", "last");
    expect((await check()).namespaces["talaria-memory"]).toBe("last");
  });
});

describe("createMissing", () => {
  it("creates everything in an empty account, and nothing the second time", async () => {
    const first = await createMissing(resources, await check(), await open(), quiet);
    expect(first).toEqual({ "talaria-memory": "id-of-talaria-memory" });
    expect(account.changes.slice(2)).toEqual([
      "bucket talaria-skills",
      "queue talaria-curation",
      "queue talaria-reviews",
      "queue talaria-reviews-dead",
      "namespace talaria-memory",
    ]);
    const inventory = await check();
    account.changes.length = 0;
    expect(await createMissing(resources, inventory, await open(), quiet)).toEqual(first);
    expect(account.changes).toEqual([]);
  });

  it("continues where a refused creation stopped it", async () => {
    const inventory = await check();
    account.readOnly = ["storage/kv"];
    expect(await failureOf(createMissing(resources, inventory, await open(), quiet))).toContain(
      "KV namespace talaria-memory could not be created: Authentication error",
    );
    account.readOnly = [];
    await createMissing(resources, await check(), await open(), quiet);
    const kept = account.changes.filter((line) => !line.startsWith("worker"));
    expect(kept).toHaveLength(5);
    expect(new Set(kept).size).toBe(5);
  });
});

describe("dryRun", () => {
  const home = createTempFolders();
  it.each([
    ["{", "is damaged. It holds the operator's token. Restore it, or move it away and try again."],
    [`{"v":2}`, "was written by a newer Talaria (version 2). Deploy with that one."],
  ])("refuses a `deploy.json` with %s before it plans, and leaves it unchanged", async (text, sentence) => {
    const folder = home();
    const file = join(folder, "deploy.json");
    writeFileSync(file, text);
    expect(await failureOf(dryRun({ home: folder, env, unset: [] }))).toBe(`${file} ${sentence}`);
    expect(readFileSync(file, "utf8")).toBe(text);
  });
});

describe("effectiveConfig", () => {
  it("fills in ids and plain variables, keeps existing ones, and adds no KV to a Worker without KV", () => {
    const made = Object.fromEntries(
      configs.map((config) => [
        config.worker,
        buildDeployedConfig(config, { "talaria-memory": "0f2a" }, { TALARIA_MODEL: "rehearsal" }),
      ]),
    );
    expect(made.api).toMatchObject({
      name: "talaria-api",
      keep_vars: true,
      vars: { TALARIA_MODEL: "rehearsal" },
      kv_namespaces: [{ binding: "MEMORY", id: "0f2a" }],
      exports: configs.find(({ worker }) => worker === "api")?.raw.exports,
    });
    expect(made.review?.kv_namespaces).toEqual([{ binding: "MEMORY", id: "0f2a" }]);
    expect(made.curator).not.toHaveProperty("kv_namespaces");
  });
});

describe("givenVars", () => {
  it("empties the variables to unset, and takes the rest from the environment", () => {
    const deployment = { home: "", env: { OPENAI_MODEL: "a", OPENAI_BASE_URL: "b" }, unset: ["OPENAI_MODEL"] };
    expect(pickGivenVars(PLAIN_VARS, deployment)).toEqual({ OPENAI_MODEL: "", OPENAI_BASE_URL: "b" });
  });
});

describe("mayAnswer", () => {
  const home = "/nowhere";
  it.each<[string, Record<string, string>, string[], string[], boolean]>([
    ["nothing is configured", {}, [], [], false],
    ["the environment has a key", { TALARIA_MODEL: "mistral:small", MISTRAL_API_KEY: "m" }, [], [], true],
    [
      "the environment names a server, which needs no key",
      { TALARIA_MODEL: "ollama:llama3", OLLAMA_BASE_URL: "https://o.example.com" },
      ...([[], [], true] as [string[], string[], boolean]),
    ],
    ["an earlier deployment left a key", {}, [], ["MISTRAL_API_KEY"], true],
    ["the key of an earlier deployment is emptied", {}, ["MISTRAL_API_KEY"], ["MISTRAL_API_KEY"], false],
  ])("when %s: %j, emptied %j, kept %j → %s", (_, env, unset, kept, expected) => {
    expect(hasRealModel({ home, env, unset }, kept)).toBe(expected);
  });
});

describe("the three configs", () => {
  it("are deployed with the consumers of a queue before its producers", () => {
    expect(configs.map(({ worker }) => worker)).toEqual(["review", "curator", "api"]);
  });

  it("give an address to the api Worker alone, and logs to all", () => {
    const shown = configs.map(({ worker, raw }) => [
      worker,
      raw.workers_dev,
      raw.preview_urls,
      raw.observability?.enabled,
    ]);
    expect(shown).toEqual([
      ["review", false, false, true],
      ["curator", false, false, true],
      ["api", true, false, true],
    ]);
  });
});

describe("secretsFor", () => {
  it("gives the operator's token to the api Worker alone", () => {
    const secrets = selectWorkerVars({ ANTHROPIC_API_KEY: "key", HOME: "/root" }, "token");
    expect(selectSecrets("api", secrets)).toEqual({ ANTHROPIC_API_KEY: "key", TALARIA_OPERATOR_TOKEN: "token" });
    expect(selectSecrets("review", secrets)).toEqual({ ANTHROPIC_API_KEY: "key" });
    expect(selectSecrets("curator", secrets)).toEqual({ ANTHROPIC_API_KEY: "key" });
  });
});

describe("the variables of a memory provider", () => {
  it("go to the api Worker alone, and only those of the named provider", () => {
    const memory = { TALARIA_MEMORY_PROVIDER: "Honcho", HONCHO_API_KEY: "h", HONCHO_WORKSPACE: "w" };
    const given = selectWorkerVars({ ...memory, MEM0_API_KEY: "m", MEM0_BASE_URL: "https://m.example" }, "token");
    expect(given).toEqual({ ...memory, TALARIA_OPERATOR_TOKEN: "token" });
    expect(selectSecrets("api", given)).toMatchObject({ HONCHO_API_KEY: "h" });
    expect(selectSecrets("review", given)).not.toHaveProperty("HONCHO_API_KEY");
    expect(selectSecrets("curator", given)).not.toHaveProperty("HONCHO_API_KEY");
  });

  it("are the variables that the Session reads", () => {
    const kinds: { key: string; url: string; workspace?: string }[] = Object.values(PROVIDER_KINDS);
    const plain = kinds.flatMap(({ url, workspace = [] }) => [url, workspace].flat());
    expect([...MEMORY_SECRETS]).toEqual(kinds.map(({ key }) => key));
    expect(MEMORY_VARS.toSorted()).toEqual(["TALARIA_MEMORY_PROVIDER", ...plain].toSorted());
  });
});

describe("the variables of the exec host", () => {
  it("go to the api Worker alone, and are those that it reads", () => {
    const given = { TALARIA_EXEC_TOKEN: "t", TALARIA_EXEC_URL: "https://exec.example", TALARIA_EXEC_PROFILES: "*" };
    expect(selectWorkerVars(given, "token")).toEqual({ ...given, TALARIA_OPERATOR_TOKEN: "token" });
    expect(selectSecrets("api", { TALARIA_EXEC_TOKEN: "t" })).toEqual({ TALARIA_EXEC_TOKEN: "t" });
    expect(selectSecrets("review", { TALARIA_EXEC_TOKEN: "t" })).toEqual({});
    expect([...EXEC_SECRETS]).toEqual([...CORE_EXEC_SECRETS]);
    expect([...EXEC_VARS]).toEqual([...EXEC_VARIABLES]);
  });
});

describe("the variables of the training service", () => {
  it("go to the api Worker alone, and are those that it reads", () => {
    const given = { TALARIA_TRAINING_TOKEN: "t", TALARIA_TRAINING_URL: "https://training.example" };
    expect(selectWorkerVars(given, "token")).toEqual({ ...given, TALARIA_OPERATOR_TOKEN: "token" });
    expect(selectSecrets("api", { TALARIA_TRAINING_TOKEN: "t" })).toEqual({ TALARIA_TRAINING_TOKEN: "t" });
    expect(selectSecrets("review", { TALARIA_TRAINING_TOKEN: "t" })).toEqual({});
    expect([...TRAINING_SECRETS]).toEqual([...CORE_TRAINING_SECRETS]);
    expect([...TRAINING_VARS]).toEqual([...TRAINING_VARIABLES]);
  });
});

describe("the variables of web_search", () => {
  it("go to the api Worker alone, and are those that it reads", () => {
    const given = { BRAVE_API_KEY: "b", SEARXNG_URL: "https://searx.example" };
    expect(selectWorkerVars(given, "token")).toEqual({ ...given, TALARIA_OPERATOR_TOKEN: "token" });
    expect(selectSecrets("api", given)).toEqual(given);
    expect(selectSecrets("review", { BRAVE_API_KEY: "b" })).toEqual({});
    expect([...SEARCH_SECRETS]).toEqual([...CORE_SECRETS]);
    expect([...SEARCH_VARS]).toEqual([...SEARCH_VARIABLES]);
  });
});

describe("warningsIn", () => {
  it("finds the warning about a bound class that is missing in the exports map", () => {
    const output =
      "\u001b[33m▲ \u001b[43;33m[\u001b[43;30mWARNING\u001b[43;33m]\u001b[0m \u001b[1mProcessing wrangler.json configuration:\u001b[0m\n" +
      "\n    - In your wrangler.json file, you have configured `durable_objects` exported by this Worker (Account), but no live `exports` entry\n\n\nTotal Upload: 1.07 KiB\n";
    expect(findWarnings(output)).toEqual([
      "Processing wrangler.json configuration: - In your wrangler.json file, you have configured `durable_objects` exported by this Worker (Account), but no live `exports` entry",
    ]);
  });

  it("finds nothing in a clean build", () => {
    expect(findWarnings("Total Upload: 1.07 KiB / gzip: 0.55 KiB\n--dry-run: exiting now.\n")).toEqual([]);
  });
});
