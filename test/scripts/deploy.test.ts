// The plan of a deployment against a double of wrangler that keeps an account's resources.
import { beforeEach, describe, expect, it } from "vitest";
import {
  DeployError,
  effectiveConfig,
  ensureResources,
  resourcesOf,
  secretsFor,
  warningsIn,
} from "../../scripts/deploy-plan.ts";
import { PROVIDER_SECRETS, PROVIDER_VARIABLES } from "../../core/memory/provider-env.ts";
import { MEMORY_SECRETS, MEMORY_VARS, workerVars } from "../../scripts/worker-vars.ts";
import { type RunWrangler, readWorkerConfigs } from "../../scripts/wrangler.ts";

/** An account as wrangler shows it: what was created is there afterwards. */
class Account {
  loggedIn = true;
  readonly buckets = new Set<string>();
  readonly queues = new Set<string>();
  readonly namespaces = new Map<string, string>();
  readonly created: string[] = [];
  refuses: string | undefined;

  readonly wrangler: RunWrangler = async (args) => {
    const line = args.join(" ");
    const name = args.at(-1) ?? "";
    if (line === "whoami --json") return { code: this.loggedIn ? 0 : 1, output: "{}" };
    if (line === `r2 bucket info ${name}`) return this.look(this.buckets.has(name));
    if (line === `queues info ${name}`) return this.look(this.queues.has(name));
    if (line === "kv namespace list") {
      const list = [...this.namespaces].map(([title, id]) => ({ id, title, supports_url_encoding: true }));
      return { code: 0, output: `a note that wrangler prints\n${JSON.stringify(list, null, 2)}\n` };
    }
    if (this.refuses && line.includes(this.refuses)) return { code: 1, output: "no permission [code: 10000]" };
    if (line === `r2 bucket create ${name}`) this.buckets.add(name);
    else if (line === `queues create ${name}`) this.queues.add(name);
    else if (line === `kv namespace create ${name}`) this.namespaces.set(name, `id-of-${name}`);
    else throw new Error(`unexpected: wrangler ${line}`);
    this.created.push(line);
    return { code: 0, output: "" };
  };

  private look(there: boolean) {
    return { code: there ? 0 : 1, output: there ? "" : "not found" };
  }
}

const configs = readWorkerConfigs();
const resources = resourcesOf(configs);
const EMPTY = { v: 1 as const, namespaces: {} };
const quiet = () => {};
let account: Account;
beforeEach(() => {
  account = new Account();
});

describe("resourcesOf", () => {
  it("finds every bucket, namespace and queue of the three configs, dead letters included", () => {
    expect(resources).toEqual({
      buckets: ["talaria-skills"],
      namespaces: ["talaria-memory"],
      queues: ["talaria-curation", "talaria-reviews", "talaria-reviews-dead"],
    });
  });
});

describe("ensureResources", () => {
  it("creates everything in an empty account, and nothing the second time", async () => {
    const state = await ensureResources(resources, EMPTY, account.wrangler, quiet);
    expect(state).toEqual({ v: 1, namespaces: { "talaria-memory": "id-of-talaria-memory" } });
    expect(account.created).toEqual([
      "r2 bucket create talaria-skills",
      "queues create talaria-curation",
      "queues create talaria-reviews",
      "queues create talaria-reviews-dead",
      "kv namespace create talaria-memory",
    ]);
    expect(await ensureResources(resources, EMPTY, account.wrangler, quiet)).toEqual(state);
    expect(account.created).toHaveLength(5);
  });

  it("goes on where a refused creation stopped it", async () => {
    account.refuses = "queues create talaria-reviews-dead";
    await expect(ensureResources(resources, EMPTY, account.wrangler, quiet)).rejects.toThrow(
      /queue talaria-reviews-dead could not be created:\nno permission/,
    );
    account.refuses = undefined;
    await ensureResources(resources, EMPTY, account.wrangler, quiet);
    expect(new Set(account.created).size).toBe(account.created.length);
  });

  it("says how to log in and creates nothing when nobody is logged in", async () => {
    account.loggedIn = false;
    const failure = await ensureResources(resources, EMPTY, account.wrangler, quiet).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DeployError);
    expect((failure as Error).message).toContain("CLOUDFLARE_API_TOKEN");
    expect(account.created).toEqual([]);
  });
});

describe("effectiveConfig", () => {
  it("fills in ids and plain variables, and leaves a Worker without KV without KV", () => {
    const state = { v: 1 as const, namespaces: { "talaria-memory": "0f2a" } };
    const made = Object.fromEntries(
      configs.map((config) => [config.worker, effectiveConfig(config, state, { TALARIA_MODEL: "rehearsal" })]),
    );
    expect(made.api).toMatchObject({
      name: "talaria-api",
      vars: { TALARIA_MODEL: "rehearsal" },
      kv_namespaces: [{ binding: "MEMORY", id: "0f2a" }],
      exports: configs.find(({ worker }) => worker === "api")?.raw.exports,
    });
    expect(made.review?.kv_namespaces).toEqual([{ binding: "MEMORY", id: "0f2a" }]);
    expect(made.curator).not.toHaveProperty("kv_namespaces");
  });

  it("deploys who consumes a queue before who fills it", () => {
    expect(configs.map(({ worker }) => worker)).toEqual(["review", "curator", "api"]);
  });
});

describe("secretsFor", () => {
  it("gives the operator's token to the api Worker alone", () => {
    const secrets = workerVars({ ANTHROPIC_API_KEY: "key", HOME: "/root" }, "token");
    expect(secretsFor("api", secrets)).toEqual({ ANTHROPIC_API_KEY: "key", TALARIA_OPERATOR_TOKEN: "token" });
    expect(secretsFor("review", secrets)).toEqual({ ANTHROPIC_API_KEY: "key" });
    expect(secretsFor("curator", secrets)).toEqual({ ANTHROPIC_API_KEY: "key" });
  });
});

describe("the variables of a memory provider", () => {
  it("go to the api Worker alone, and only those of the one that is named", () => {
    const memory = { TALARIA_MEMORY_PROVIDER: "Honcho", HONCHO_API_KEY: "h", HONCHO_WORKSPACE: "w" };
    const env = { ...memory, MEM0_API_KEY: "m", MEM0_BASE_URL: "https://m.example" };
    const given = workerVars(env, "token");
    expect(given).toEqual({ ...memory, TALARIA_OPERATOR_TOKEN: "token" });
    expect(secretsFor("api", given)).toMatchObject({ HONCHO_API_KEY: "h" });
    expect(secretsFor("review", given)).not.toHaveProperty("HONCHO_API_KEY");
    expect(secretsFor("curator", given)).not.toHaveProperty("HONCHO_API_KEY");
  });

  it("are those that the Session reads", () => {
    expect([...MEMORY_SECRETS]).toEqual([...PROVIDER_SECRETS]);
    expect(MEMORY_VARS.toSorted()).toEqual(PROVIDER_VARIABLES.toSorted());
  });
});

describe("warningsIn", () => {
  it("finds the warning of a bound class that is not in the exports map", () => {
    const output =
      "\u001b[33m▲ \u001b[43;33m[\u001b[43;30mWARNING\u001b[43;33m]\u001b[0m \u001b[1mProcessing wrangler.json configuration:\u001b[0m\n" +
      "\n    - In your wrangler.json file, you have configured `durable_objects` exported by this Worker (Account), but no live `exports` entry\n\n\nTotal Upload: 1.07 KiB\n";
    expect(warningsIn(output)).toEqual([
      "Processing wrangler.json configuration: - In your wrangler.json file, you have configured `durable_objects` exported by this Worker (Account), but no live `exports` entry",
    ]);
  });

  it("finds nothing in a clean build", () => {
    expect(warningsIn("Total Upload: 1.07 KiB / gzip: 0.55 KiB\n--dry-run: exiting now.\n")).toEqual([]);
  });
});
