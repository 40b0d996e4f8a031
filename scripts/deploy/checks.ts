// Checks an account before anything is created in it: login, token permissions, products, plan, subdomain. Reports everything that
// is missing at once. Called by deploy.ts. Leaves nothing behind in the account.
import { randomBytes } from "node:crypto";
import type { WorkerConfig } from "../stack/wrangler.ts";
import { type ApiAnswer, type CloudflareApi, DeployError } from "./cloudflare.ts";
import type { Resources } from "./resources.ts";

/** The resources of a deployment that already exist in the account. */
export interface Inventory {
  buckets: Set<string>;
  queues: Set<string>;
  /** Ids of KV namespaces by title. */
  namespaces: Record<string, string>;
  /** Names of the api Worker's secrets; `null` before its first deployment. */
  apiSecrets: string[] | null;
}

/** Cloudflare's error codes for: R2 not enabled; no workers.dev subdomain; CPU limits on the free plan. */
const R2_NOT_ENABLED = 10_042;
const NO_SUBDOMAIN = [10_007, 10_063];
const FREE_PLAN = 100_328;
const PAGE = 100;

const DASHBOARD = "https://dash.cloudflare.com";
export const PERMISSIONS = {
  workers: "Workers Scripts: Edit",
  r2: "Workers R2 Storage: Edit",
  kv: "Workers KV Storage: Edit",
  queues: "Queues: Edit",
} as const;

type Product = keyof typeof PERMISSIONS;

/** Throws a DeployError with one line per problem. */
export async function checkAccount(
  api: CloudflareApi,
  configs: WorkerConfig[],
  resources: Resources,
): Promise<Inventory> {
  const problems: string[] = [];
  const denied = new Set<Product>();
  const failed = (product: Product, answer: ApiAnswer<unknown>) => {
    if (answer.ok) return;
    if (answer.denied) denied.add(product);
    else if (answer.codes.includes(R2_NOT_ENABLED)) {
      problems.push(`R2 is not enabled on this account. Enable it at ${DASHBOARD}/?to=/:account/r2 and try again.`);
    } else problems.push(`${product}: ${answer.message}`);
  };

  const buckets = new Set<string>();
  for (const name of resources.buckets) {
    const answer = await api.request("GET", `/r2/buckets/${name}`);
    if (answer.ok) buckets.add(name);
    else if (answer.status !== 404) failed("r2", answer);
  }
  const queues = new Set<string>();
  for (const name of resources.queues) {
    const answer = await api.request<{ queue_name: string }[]>(
      "GET",
      `/queues?page=1&name=${encodeURIComponent(name)}`,
    );
    if (!answer.ok) failed("queues", answer);
    else if (answer.result.some((queue) => queue.queue_name === name)) queues.add(name);
  }
  const namespaces = await listNamespaces(api, (answer) => failed("kv", answer));
  await checkSubdomain(api, configs, problems, (answer) => failed("workers", answer));
  const apiSecrets = await listApiSecrets(api, configs, (answer) => failed("workers", answer));
  for (const [product, path] of writeProbes()) {
    if (denied.has(product)) continue;
    const answer = await api.request("DELETE", path);
    if (!answer.ok && answer.denied) denied.add(product);
  }
  if (denied.size > 0) {
    const lacking = [...denied].map((product) => PERMISSIONS[product]).join(", ");
    problems.push(
      `The token lacks: ${lacking}. Edit it at ${DASHBOARD}/profile/api-tokens; a deployment needs ` +
        `${Object.values(PERMISSIONS).join(", ")}, for this account.`,
    );
  }
  // Last, and only if all other checks pass: this check has to upload a Worker.
  if (problems.length === 0) problems.push(...(await findPlanProblems(api, configs)));
  if (problems.length > 0) throw new DeployError(`Nothing was created.\n${[...new Set(problems)].join("\n")}`);
  return { buckets, queues, namespaces, apiSecrets };
}

async function listNamespaces(
  api: CloudflareApi,
  failed: (answer: ApiAnswer<unknown>) => void,
): Promise<Record<string, string>> {
  const namespaces: Record<string, string> = {};
  for (let page = 1; ; page++) {
    const path = `/storage/kv/namespaces?per_page=${PAGE}&page=${page}`;
    const answer = await api.request<{ id: string; title: string }[]>("GET", path);
    if (!answer.ok) {
      failed(answer);
      return namespaces;
    }
    for (const { id, title } of answer.result) namespaces[title] = id;
    if (answer.result.length < PAGE) return namespaces;
  }
}

/** Only the api Worker, which is reachable from outside, needs a subdomain. */
async function checkSubdomain(
  api: CloudflareApi,
  configs: WorkerConfig[],
  problems: string[],
  failed: (answer: ApiAnswer<unknown>) => void,
): Promise<void> {
  if (!configs.some(({ raw }) => raw.workers_dev)) return;
  const answer = await api.request<{ subdomain?: string } | null>("GET", "/workers/subdomain");
  if (answer.ok ? answer.result?.subdomain : !answer.codes.some((code) => NO_SUBDOMAIN.includes(code))) {
    return failed(answer);
  }
  problems.push(
    `This account has no workers.dev subdomain. Choose one at ${DASHBOARD}/?to=/:account/workers/subdomain.`,
  );
}

async function listApiSecrets(
  api: CloudflareApi,
  configs: WorkerConfig[],
  failed: (answer: ApiAnswer<unknown>) => void,
): Promise<string[] | null> {
  const name = configs.find(({ worker }) => worker === "api")?.raw.name;
  const answer = await api.request<{ name: string }[]>("GET", `/workers/scripts/${name}/secrets`);
  if (answer.ok) return answer.result.map((secret) => secret.name);
  if (answer.status !== 404) failed(answer);
  return null;
}

/**
 * Checks write permissions by deleting resources that do not exist: the API answers "forbidden" or "not found", and nothing
 * changes. Reading does not show whether a token may write.
 */
function writeProbes(): [Product, string][] {
  const nobodys = randomBytes(16).toString("hex");
  return [
    ["workers", `/workers/scripts/talaria-check-${nobodys}`],
    ["r2", `/r2/buckets/talaria-check-${nobodys}`],
    ["kv", `/storage/kv/namespaces/${nobodys}`],
    ["queues", `/queues/${nobodys}`],
  ];
}

/**
 * Checks the plan by uploading an empty Worker without an address and with the CPU limit that the three Workers need, then deleting
 * it; on the free plan the upload is refused. Reading the plan needs a billing permission, which few tokens have.
 */
async function findPlanProblems(api: CloudflareApi, configs: WorkerConfig[]): Promise<string[]> {
  const limits = configs.map(({ raw }) => raw.limits).find((limit) => limit?.cpu_ms);
  const path = `/workers/scripts/talaria-check-${randomBytes(8).toString("hex")}`;
  const form = new FormData();
  const metadata = { main_module: "check.js", compatibility_date: configs[0]?.raw.compatibility_date, limits };
  form.set("metadata", new Blob([JSON.stringify(metadata)], { type: "application/json" }));
  const code = "export default { fetch: () => new Response(null, { status: 404 }) };";
  form.set("check.js", new File([code], "check.js", { type: "application/javascript+module" }));
  const uploaded = await api.request("PUT", path, form);
  if (!uploaded.ok) {
    return [
      uploaded.codes.includes(FREE_PLAN) ? FREE_PLAN_PROBLEM : `A Worker could not be uploaded: ${uploaded.message}`,
    ];
  }
  const removed = await api.request("DELETE", `${path}?force=true`);
  if (removed.ok) return [];
  return [
    `The Worker ${path.split("/").at(-1)} of the check could not be deleted: ${removed.message}. Delete it by hand.`,
  ];
}

const FREE_PLAN_PROBLEM =
  "This account is on the Workers Free plan, which Talaria does not support: it allows 50 subrequests and 10 ms of CPU for " +
  `each invocation. Switch to Workers Paid at ${DASHBOARD}/?to=/:account/workers/plans and try again.`;
