// What a deployment needs and does, as data and through an injected wrangler: resources read from the three configs,
// created where missing, ids filled in. Called by deploy.ts and its test. Touches no file and no network of its own.
import { MEMORY_SECRETS } from "./worker-vars.ts";
import type { RunWrangler, WorkerConfig, WorkerName } from "./wrangler.ts";

export interface Resources {
  buckets: string[];
  /** KV namespaces by title: the placeholder id of the config. */
  namespaces: string[];
  queues: string[];
}

/** Ids that Cloudflare gave. Kept in an ignored file, so that a second deployment finds the same things. */
export interface DeployState {
  v: 1;
  namespaces: Record<string, string>;
}

export class DeployError extends Error {
  override name = "DeployError";
}

export function resourcesOf(configs: WorkerConfig[]): Resources {
  const all = <T>(pick: (raw: WorkerConfig["raw"]) => (T | undefined)[]) =>
    [...new Set(configs.flatMap(({ raw }) => pick(raw)).filter((value) => value !== undefined))].sort();
  return {
    buckets: all((raw) => (raw.r2_buckets ?? []).map((bucket) => bucket.bucket_name)),
    namespaces: all((raw) => (raw.kv_namespaces ?? []).map((namespace) => namespace.id)),
    queues: all((raw) => [
      ...(raw.queues?.producers ?? []).map((producer) => producer.queue),
      ...(raw.queues?.consumers ?? []).flatMap((consumer) => [consumer.queue, consumer.dead_letter_queue]),
    ]),
  };
}

/** Looks for each resource and creates what is missing. Safe to repeat after a failure anywhere. */
export async function ensureResources(
  resources: Resources,
  state: DeployState,
  wrangler: RunWrangler,
  say: (line: string) => void,
): Promise<DeployState> {
  const account = await wrangler(["whoami", "--json"]);
  if (account.code !== 0) {
    throw new DeployError(
      "wrangler is not logged in. Set CLOUDFLARE_API_TOKEN (and CLOUDFLARE_ACCOUNT_ID if it can reach several accounts), " +
        "or run `npx wrangler login`, and try again.",
    );
  }
  for (const bucket of resources.buckets) {
    await ensure(`R2 bucket ${bucket}`, ["r2", "bucket", "info", bucket], ["r2", "bucket", "create", bucket]);
  }
  for (const queue of resources.queues) {
    await ensure(`queue ${queue}`, ["queues", "info", queue], ["queues", "create", queue]);
  }
  const namespaces: Record<string, string> = {};
  for (const title of resources.namespaces) namespaces[title] = await ensureNamespace(title);
  return { ...state, namespaces };

  async function ensure(what: string, look: string[], create: string[]): Promise<void> {
    if ((await wrangler(look)).code === 0) return say(`${what}: there`);
    await must(create, `${what} could not be created`);
    say(`${what}: created`);
  }

  async function ensureNamespace(title: string): Promise<string> {
    const known = await namespaceIds();
    if (known[title]) {
      say(`KV namespace ${title}: there`);
      return known[title];
    }
    await must(["kv", "namespace", "create", title], `KV namespace ${title} could not be created`);
    const id = (await namespaceIds())[title];
    if (!id) throw new DeployError(`KV namespace ${title} was created and is not listed yet; run this again.`);
    say(`KV namespace ${title}: created`);
    return id;
  }

  async function namespaceIds(): Promise<Record<string, string>> {
    const { output } = await must(["kv", "namespace", "list"], "The KV namespaces could not be listed");
    try {
      const list = JSON.parse(output.slice(output.indexOf("["), output.lastIndexOf("]") + 1));
      return Object.fromEntries((list as { id: string; title: string }[]).map(({ id, title }) => [title, id]));
    } catch {
      throw new DeployError(`The list of KV namespaces could not be read:\n${output.slice(0, 500)}`);
    }
  }

  async function must(args: string[], problem: string) {
    const ran = await wrangler(args);
    if (ran.code !== 0) throw new DeployError(`${problem}:\n${ran.output.trim().slice(-2_000)}`);
    return ran;
  }
}

/** The config that is deployed: real ids, and the plain variables of the caller's environment. */
export function effectiveConfig(config: WorkerConfig, state: DeployState, vars: Record<string, string>) {
  const { raw } = config;
  return {
    ...raw,
    ...(Object.keys(vars).length > 0 && { vars: { ...raw.vars, ...vars } }),
    ...(raw.kv_namespaces && {
      kv_namespaces: raw.kv_namespaces.map((namespace) => ({
        ...namespace,
        id: state.namespaces[namespace.id ?? ""] ?? namespace.id,
      })),
    }),
  };
}

/** The operator's token makes profiles, so only the Worker that checks it holds it. */
export function secretsFor(worker: WorkerName, secrets: Record<string, string>): Record<string, string> {
  if (worker === "api") return secrets;
  const ofApi = ["TALARIA_OPERATOR_TOKEN", ...MEMORY_SECRETS];
  return Object.fromEntries(Object.entries(secrets).filter(([name]) => !ofApi.includes(name)));
}

/** Warnings in wrangler's output, each with its first details. One means a Durable Object that would come up without SQL. */
export function warningsIn(output: string): string[] {
  const lines = output.split("\n").map((line) => line.replaceAll(ANSI, "").trim());
  return lines.flatMap((line, index) => {
    if (!line.includes("[WARNING]")) return [];
    const details = lines.slice(index + 1, index + 10).filter((next) => next.startsWith("- "));
    return [[line.replace(/^.*\[WARNING\]\s*/, ""), ...details].join(" ")];
  });
}

const ANSI = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, "g");
