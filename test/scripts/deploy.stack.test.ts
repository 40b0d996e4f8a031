// The whole deployment with the real wrangler, against a double of Cloudflare's API: a first one, one from another machine with
// a bare shell, and one with a broken `deploy.json`.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deploy } from "../../scripts/deploy/deploy.ts";
import { type RunWrangler, type WranglerResult, readWorkerConfigs, runWrangler } from "../../scripts/stack/wrangler.ts";
import { CloudflareAccount } from "../support/cloudflare-account.ts";

const account = new CloudflareAccount();
const homes: string[] = [];
// The three real configs over Workers that are quick to bundle. `npm run check` builds the real ones.
const small = join(import.meta.dirname, "../fixtures/small-worker.js");
const configs = readWorkerConfigs().map((config) => ({ ...config, raw: { ...config.raw, main: small } }));
let shell: Record<string, string>;

beforeAll(async () => {
  shell = { CLOUDFLARE_API_BASE_URL: await account.start(), CLOUDFLARE_API_TOKEN: "t" };
});
afterAll(async () => {
  await account.stop();
  for (const home of homes) rmSync(home, { recursive: true, force: true });
});

const answered = new Map<string, Promise<WranglerResult>>();

/** The real wrangler. What does not depend on the deployment runs once: the login, and a build, which no variable changes. */
const wrangler: RunWrangler = (args, options) => {
  const config = args.includes("--dry-run") && readFileSync(args[args.indexOf("--config") + 1]!, "utf8");
  if (args[0] !== "auth" && config === false) return runWrangler(args, options);
  const key = config === false ? args.join(" ") : JSON.stringify({ ...JSON.parse(config), vars: null });
  const answer = answered.get(key) ?? runWrangler(args, options);
  answered.set(key, answer);
  return answer;
};

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), "talaria deploy "));
  homes.push(home);
  return home;
}

async function run(home: string, env: Record<string, string> = {}, given = configs, unset: string[] = []) {
  const lines: string[] = [];
  await deploy({ home, env: { ...shell, ...env }, unset }, (line) => lines.push(line), given, wrangler);
  return lines.join("\n");
}

describe("a deployment", () => {
  const home = newHome();
  const kept = () => JSON.parse(readFileSync(join(home, "deploy.json"), "utf8")) as { operatorToken: string };
  const workers = () => Object.fromEntries(account.workers);

  it("creates everything once, with logs, limits, secrets, and an address for the api Worker alone", async () => {
    const memory = { TALARIA_MEMORY_PROVIDER: "honcho", HONCHO_API_KEY: "h" };
    const said = await run(home, { TALARIA_MODEL: "mistral:small", MISTRAL_API_KEY: "m", ...memory });
    expect(said).toContain("https://talaria-api.ops.workers.dev/v1/profiles");
    expect(said).not.toContain("rehearsal");
    const common = {
      vars: { TALARIA_MODEL: "mistral:small" },
      limits: { cpu_ms: 300_000 },
      observability: { enabled: true, logs: { enabled: true, invocation_logs: false } },
    };
    const token = kept().operatorToken;
    expect(workers()).toEqual({
      "talaria-review": { ...common, secrets: { MISTRAL_API_KEY: "m" }, workersDev: false },
      "talaria-curator": { ...common, secrets: { MISTRAL_API_KEY: "m" }, workersDev: false },
      "talaria-api": {
        ...common,
        vars: { ...common.vars, TALARIA_MEMORY_PROVIDER: "honcho" },
        secrets: { MISTRAL_API_KEY: "m", HONCHO_API_KEY: "h", TALARIA_OPERATOR_TOKEN: token },
        workersDev: true,
      },
    });
    expect(statSync(join(home, "deploy.json")).mode & 0o777).toBe(0o600);
  });

  it("keeps variables, secrets and the token, but those to unset, when it is repeated on another machine from a bare shell", async () => {
    const before = structuredClone(workers());
    const said = await run(newHome(), {}, configs, ["MISTRAL_API_KEY"]);
    for (const { secrets } of Object.values(before)) secrets.MISTRAL_API_KEY = "";
    expect(workers()).toEqual(before);
    expect(said).toContain("token of an earlier deployment is kept");
    expect(said).toContain("the Workers answer with the rehearsal model");
    expect(account.changes.filter((line) => line.startsWith("queue"))).toHaveLength(3);
  });

  it("reports every Worker that does not build or has an unknown field in its config, and creates nothing", async () => {
    account.changes.length = 0;
    const changes: Partial<Record<string, object>> = {
      api: { main: join(import.meta.dirname, "../fixtures/no-such-worker.js") },
      review: { ia: { binding: "AI" } },
    };
    const broken = configs.map((one) => ({ ...one, raw: { ...one.raw, ...changes[one.worker] } }));
    const failure = run(newHome(), {}, broken);
    await expect(failure).rejects.toThrow(/talaria-api does not build:[^]*Nothing was created/);
    await expect(failure).rejects.toThrow(/"ia"[^]*Nothing was created/);
    expect(account.changes).toEqual([]);
  });

  it("creates nothing when `deploy.json` is damaged or from a newer version, and leaves it unchanged", async () => {
    account.changes.length = 0;
    for (const [text, why] of [
      ['{"v":1,"names', /is damaged/],
      ['{"v":2,"future":true}', /newer Talaria/],
    ] as const) {
      const broken = newHome();
      writeFileSync(join(broken, "deploy.json"), text);
      await expect(run(broken)).rejects.toThrow(why);
      expect(readFileSync(join(broken, "deploy.json"), "utf8")).toBe(text);
    }
    expect(account.changes).toEqual([]);
  });

  it("ran wrangler for one login, three builds and the two that fail", () => {
    expect(answered.size).toBe(6);
  });
});
