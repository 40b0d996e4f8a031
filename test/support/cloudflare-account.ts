// A double of Cloudflare's API over HTTP: one account with buckets, queues, namespaces and Workers. It serves the requests of
// `npm run deploy` and its wrangler, stores what they create, and refuses what a plan or a token does not allow.
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";

export const ACCOUNT_ID = "0123456789abcdef0123456789abcdef";

export interface DeployedWorker {
  vars: Record<string, string>;
  secrets: Record<string, string>;
  limits?: { cpu_ms?: number } | undefined;
  observability?: { enabled?: boolean } | undefined;
  workersDev: boolean;
}

type Answer = { status?: number; result: unknown; code?: number; message?: string };

export class CloudflareAccount {
  /** Products that the caller's token may not change, by their name in the URL. */
  readOnly: string[] = [];
  plan: "free" | "paid" = "paid";
  r2Enabled = true;
  subdomain: string | undefined = "ops";
  tokenValid = true;
  readonly accounts = [{ id: ACCOUNT_ID, name: "Ops" }];
  readonly buckets = new Set<string>();
  readonly queues = new Map<string, string>();
  readonly namespaces = new Map<string, string>();
  readonly workers = new Map<string, DeployedWorker>();
  /** Every request that changed something, in order. */
  readonly changes: string[] = [];
  #server: Server | undefined;

  async start(): Promise<string> {
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: Error) => {
        response.statusCode = 500;
        response.end(String(error.stack));
      });
    });
    await new Promise<void>((done) => this.#server?.listen(0, "127.0.0.1", done));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/client/v4`;
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((done) => this.#server?.close(done));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const url = new URL(request.url ?? "/", "http://double");
    const path = url.pathname.replace("/client/v4", "");
    const method = request.method ?? "GET";
    const answer = this.tokenValid
      ? await this.#answer(method, path, url, body, request.headers["content-type"] ?? "")
      : refuse(403, 9109, "Invalid access token");
    response.statusCode = answer.status ?? 200;
    response.setHeader("content-type", "application/json");
    const errors = answer.code ? [{ code: answer.code, message: answer.message }] : [];
    response.end(JSON.stringify({ success: errors.length === 0, errors, messages: [], result: answer.result }));
  }

  async #answer(method: string, path: string, url: URL, body: Buffer, type: string): Promise<Answer> {
    if (path === "/accounts") return { result: this.accounts };
    if (path === "/memberships") return { result: this.accounts.map((account) => ({ account })) };
    const [, product = "", rest = ""] =
      /^\/accounts\/[0-9a-f]{32}\/(workers|r2|queues|storage\/kv)(.*)$/.exec(path) ?? [];
    if (!product) return refuse(404, 7003, `Could not route to ${path}`);
    if (method !== "GET" && this.readOnly.includes(product)) return refuse(403, 10000, "Authentication error");
    const json = () => JSON.parse(body.toString() || "{}") as Record<string, string>;
    if (product === "r2") return this.#r2(method, rest, json);
    if (product === "queues") return this.#queue(method, rest, url, json);
    if (product === "storage/kv") return this.#kv(method, rest, url, json);
    return this.#worker(method, rest, body, type);
  }

  #r2(method: string, rest: string, json: () => Record<string, string>): Answer {
    if (!this.r2Enabled) return refuse(403, 10042, "Please enable R2 through the Cloudflare Dashboard.");
    if (method === "POST" && rest === "/buckets") {
      this.buckets.add(json().name ?? "");
      this.changes.push(`bucket ${json().name}`);
      return { result: { name: json().name } };
    }
    const name = rest.slice("/buckets/".length);
    if (rest === "/buckets") return { result: { buckets: [...this.buckets].map((bucket) => ({ name: bucket })) } };
    return this.buckets.has(name) ? { result: { name } } : refuse(404, 10006, "The specified bucket does not exist.");
  }

  #queue(method: string, rest: string, url: URL, json: () => Record<string, string>): Answer {
    if (method === "POST" && rest === "") {
      const name = json().queue_name ?? "";
      this.queues.set(name, `id-${name}`);
      this.changes.push(`queue ${name}`);
      return { result: { queue_name: name, queue_id: `id-${name}` } };
    }
    if (rest === "") {
      const requestedNames = url.searchParams.getAll("name");
      const found = [...this.queues].filter(([name]) => requestedNames.length === 0 || requestedNames.includes(name));
      const listed = found.map(([queue_name, queue_id]) => ({ queue_name, queue_id, producers: [], consumers: [] }));
      return { result: listed };
    }
    if (rest.includes("/consumers")) return { result: method === "GET" ? [] : { consumer_id: "c" } };
    return refuse(404, 11000, "Queue not found");
  }

  #kv(method: string, rest: string, url: URL, json: () => Record<string, string>): Answer {
    if (method === "POST" && rest === "/namespaces") {
      const title = json().title ?? "";
      this.namespaces.set(title, `id-of-${title}`);
      this.changes.push(`namespace ${title}`);
      return { result: { id: `id-of-${title}`, title } };
    }
    if (method === "GET" && rest === "/namespaces") {
      const perPage = Number(url.searchParams.get("per_page") ?? 20);
      const from = (Number(url.searchParams.get("page") ?? 1) - 1) * perPage;
      const list = [...this.namespaces].map(([title, id]) => ({ id, title })).slice(from, from + perPage);
      return { result: list };
    }
    return refuse(404, 10013, "namespace not found");
  }

  async #worker(method: string, rest: string, body: Buffer, type: string): Promise<Answer> {
    if (rest === "/subdomain") {
      if (!this.subdomain) return refuse(404, 10007, "You need to register a workers.dev subdomain");
      return { result: { subdomain: this.subdomain } };
    }
    if (rest === "/scripts") return { result: [...this.workers.keys()].map((id) => ({ id })) };
    const [, name = "", what = ""] = /^\/(?:scripts|services|workers)\/([^/]+)(.*)$/.exec(rest) ?? [];
    const worker = this.workers.get(name);
    if (method === "PUT" && what === "") return this.#upload(name, await readMetadata(body, type));
    if (method === "POST" && what === "/versions") return this.#upload(name, await readMetadata(body, type));
    // Every asset is known already, so none is uploaded.
    if (what === "/assets-upload-session") return { result: { jwt: "assets-of-the-version", buckets: [] } };
    if (!worker) return refuse(404, 10007, "This Worker does not exist on your account.");
    if (method === "DELETE" && what === "") {
      this.workers.delete(name);
      this.changes.push(`worker ${name} deleted`);
      return { result: null };
    }
    if (what === "/secrets") {
      return { result: Object.keys(worker.secrets).map((secret) => ({ name: secret, type: "secret_text" })) };
    }
    if (what === "/subdomain") {
      if (method === "POST") worker.workersDev = (JSON.parse(body.toString()) as { enabled: boolean }).enabled;
      return { result: { enabled: worker.workersDev, previews_enabled: false } };
    }
    if (what === "/deployments") {
      const deployment = { id: "d", source: "wrangler", strategy: "percentage", created_on: "2026-10-01T00:00:00Z" };
      if (method === "GET") return { result: { deployments: [{ ...deployment, versions: [], annotations: {} }] } };
      return { result: deployment };
    }
    if (what === "/settings") {
      const bindings = Object.entries(worker.vars).map(([key, text]) => ({ type: "plain_text", name: key, text }));
      return { result: { bindings, compatibility_date: "2026-10-01", tags: [], limits: worker.limits } };
    }
    if (what === "" || what === "/environments/production") {
      const script = { tag: "t", tags: [], last_deployed_from: "wrangler", modified_on: "2026-10-01T00:00:00Z" };
      const default_environment = { environment: "production", script };
      const subdomain = { enabled: worker.workersDev, previews_enabled: false };
      return { result: { id: name, name, script, default_environment, environments: [], subdomain } };
    }
    return { result: { id: name } };
  }

  /** An upload replaces the Worker, except for the binding types that the upload keeps. */
  #upload(name: string, metadata: Metadata): Answer {
    if (this.plan === "free" && metadata.limits?.cpu_ms) {
      return refuse(400, 100_328, "CPU limits are not supported for the Free plan.");
    }
    const before = this.workers.get(name);
    const bindings = metadata.bindings ?? [];
    const given = (kind: string) =>
      Object.fromEntries(
        bindings.filter(({ type }) => type === kind).map((binding) => [binding.name, binding.text ?? ""]),
      );
    const kept = (kind: string, values: Record<string, string> | undefined) => {
      const inherited = bindings.filter((binding) => binding.type === "inherit").map((binding) => binding.name);
      const all = metadata.keep_bindings?.includes(kind) ?? false;
      return Object.fromEntries(Object.entries(values ?? {}).filter(([key]) => all || inherited.includes(key)));
    };
    this.workers.set(name, {
      vars: { ...kept("plain_text", before?.vars), ...given("plain_text") },
      secrets: { ...kept("secret_text", before?.secrets), ...given("secret_text") },
      limits: metadata.limits,
      observability: metadata.observability,
      workersDev: before?.workersDev ?? false,
    });
    this.changes.push(`worker ${name}`);
    return {
      result: { id: name, startup_time_ms: 5, deployment_id: "d", etag: "e", resources: { script: { etag: "e" } } },
    };
  }
}

interface Metadata {
  bindings?: { type: string; name: string; text?: string }[];
  keep_bindings?: string[];
  limits?: { cpu_ms?: number };
  observability?: { enabled?: boolean };
}

async function readMetadata(body: Buffer, type: string): Promise<Metadata> {
  const form = await new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData();
  const part = form.get("metadata");
  return JSON.parse(typeof part === "string" ? part : await (part as File).text()) as Metadata;
}

function refuse(status: number, code: number, message: string): Answer {
  return { status, code, message, result: null };
}
