// Steps of a deployment as functions over data: create missing resources, fill in ids, choose secrets, read warnings. Called by
// deploy.ts and dry-run.ts. Touches no file.
import { API_SECRETS } from "../stack/worker-vars.ts";
import type { WorkerConfig, WorkerName } from "../stack/wrangler.ts";
import type { Inventory } from "./checks.ts";
import { type CloudflareApi, DeployError } from "./cloudflare.ts";
import type { Resources } from "./resources.ts";

/** Creates the resources that the inventory lacks and returns the ids of the KV namespaces. Safe to repeat after any failure. */
export async function createMissing(
  resources: Resources,
  inventory: Inventory,
  api: CloudflareApi,
  say: (line: string) => void,
): Promise<Record<string, string>> {
  for (const name of resources.buckets) {
    await ensure(`R2 bucket ${name}`, inventory.buckets.has(name), "/r2/buckets", { name });
  }
  for (const name of resources.queues) {
    await ensure(`queue ${name}`, inventory.queues.has(name), "/queues", { queue_name: name });
  }
  const namespaces: Record<string, string> = {};
  for (const title of resources.namespaces) {
    const known = inventory.namespaces[title];
    const created = await ensure(`KV namespace ${title}`, known !== undefined, "/storage/kv/namespaces", { title });
    namespaces[title] = known ?? created;
  }
  return namespaces;

  async function ensure(what: string, isThere: boolean, path: string, body: object): Promise<string> {
    if (isThere) {
      say(`${what}: there`);
      return "";
    }
    const answer = await api.request<{ id?: string }>("POST", path, body);
    if (!answer.ok)
      throw new DeployError(`${what} could not be created: ${answer.message}. Fix the cause and run this again.`);
    say(`${what}: created`);
    return answer.result.id ?? "";
  }
}

/**
 * The deployed config: real ids, plus the plain variables of the caller's environment. Other variables that an earlier deployment or
 * the dashboard set are kept.
 */
export function buildDeployedConfig(
  config: WorkerConfig,
  namespaces: Record<string, string>,
  vars: Record<string, string>,
) {
  const { raw } = config;
  return {
    ...raw,
    keep_vars: true,
    ...(Object.keys(vars).length > 0 && { vars: { ...raw.vars, ...vars } }),
    ...(raw.kv_namespaces && {
      kv_namespaces: raw.kv_namespaces.map((namespace) => ({
        ...namespace,
        id: namespaces[namespace.id ?? ""] ?? namespace.id,
      })),
    }),
  };
}

/** Only the api Worker gets the operator's token, because only it checks the token. */
export function selectSecrets(worker: WorkerName, secrets: Record<string, string>): Record<string, string> {
  if (worker === "api") return secrets;
  const ofApi = ["TALARIA_OPERATOR_TOKEN", ...API_SECRETS];
  return Object.fromEntries(Object.entries(secrets).filter(([name]) => !ofApi.includes(name)));
}

/** Warnings in wrangler's output, each with its first lines of detail. One of them means a Durable Object without SQL storage. */
export function findWarnings(output: string): string[] {
  const lines = withoutColours(output)
    .split("\n")
    .map((line) => line.trim());
  return lines.flatMap((line, index) => {
    if (!line.includes("[WARNING]")) return [];
    const details = lines.slice(index + 1, index + 10).filter((next) => next.startsWith("- "));
    return [[line.replace(/^.*\[WARNING\]\s*/, ""), ...details].join(" ")];
  });
}

export function withoutColours(output: string): string {
  return output.replaceAll(ANSI, "");
}

const ANSI = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, "g");
