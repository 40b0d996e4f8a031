// A JSON client for Cloudflare's API that uses wrangler's login. Returns unsuccessful answers as codes; throws only when the
// network fails. Called by the deployment's checks and plan. Never prints the token.
import type { RunWrangler } from "../stack/wrangler.ts";

const HOME = "https://api.cloudflare.com/client/v4";
const TIMEOUT_MS = 30_000;
/** Cloudflare's code for "Authentication error": the token lacks a permission. */
const NOT_ALLOWED = 10_000;

export class DeployError extends Error {
  override name = "DeployError";
}

export type ApiAnswer<T> =
  | { ok: true; result: T }
  /** `codes`: Cloudflare's error codes; `denied`: the token lacks the permission. */
  | { ok: false; status: number; codes: number[]; denied: boolean; message: string };

export interface CloudflareApi {
  /** `path` is relative to the account. */
  request: <T>(method: "GET" | "POST" | "PUT" | "DELETE", path: string, body?: unknown) => Promise<ApiAnswer<T>>;
  accountId: string;
}

/** Finds the login and the account. Throws a DeployError that says how to log in or which account to name. */
export async function openAccount(
  env: Record<string, string | undefined>,
  wrangler: RunWrangler,
): Promise<CloudflareApi> {
  const headers = await readLoginHeaders(wrangler);
  const home = env.CLOUDFLARE_API_BASE_URL?.trim() || HOME;
  const accountId = env.CLOUDFLARE_ACCOUNT_ID?.trim() || (await findOnlyAccount(home, headers));
  return {
    accountId,
    request: (method, path, body) => call(`${home}/accounts/${accountId}${path}`, method, headers, body),
  };
}

async function readLoginHeaders(wrangler: RunWrangler): Promise<Record<string, string>> {
  const result = await wrangler(["auth", "token", "--json"]);
  const json =
    result.code === 0 ? result.output.slice(result.output.indexOf("{"), result.output.lastIndexOf("}") + 1) : "";
  try {
    const login = JSON.parse(json) as { token?: string; key?: string; email?: string };
    if (login.token) return { authorization: `Bearer ${login.token}` };
    if (login.key && login.email) return { "x-auth-key": login.key, "x-auth-email": login.email };
  } catch {
    // Not JSON: wrangler reported that nobody is logged in.
  }
  throw new DeployError(
    "wrangler is not logged in. Set CLOUDFLARE_API_TOKEN, or run `npx wrangler login`, and try again.",
  );
}

async function findOnlyAccount(home: string, headers: Record<string, string>): Promise<string> {
  const answer = await call<{ id: string; name: string }[]>(`${home}/accounts?per_page=50`, "GET", headers);
  if (!answer.ok)
    throw new DeployError(`The token was refused (${answer.message}). Create a new one, or log in again.`);
  const [first, ...others] = answer.result;
  if (first && others.length === 0) return first.id;
  const names = answer.result.map(({ id, name }) => `${id} (${name})`).join(", ");
  throw new DeployError(
    first
      ? `The token can reach several accounts. Set CLOUDFLARE_ACCOUNT_ID to one of: ${names}.`
      : "The token can list no account. Set CLOUDFLARE_ACCOUNT_ID.",
  );
}

async function call<T>(
  url: string,
  method: string,
  headers: Record<string, string>,
  body?: unknown,
): Promise<ApiAnswer<T>> {
  const isForm = body instanceof FormData;
  const json = body !== undefined && !isForm;
  let answer: Response;
  try {
    answer = await fetch(url, {
      method,
      headers: { ...headers, ...(json && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch (error) {
    const { message, cause } = error as Error & { cause?: Error };
    throw new DeployError(`Cloudflare's API could not be reached: ${cause?.message || message}. Try again.`);
  }
  const text = await answer.text();
  const read = parse(text) as { success?: boolean; result: T; errors?: { code: number; message: string }[] } | null;
  if (answer.ok && read?.success) return { ok: true, result: read.result };
  const errors = read?.errors ?? [];
  const codes = errors.map(({ code }) => code);
  const message =
    errors.map(({ code, message: said }) => `${said} [code: ${code}]`).join("; ") || `status ${answer.status}`;
  // A 403 from R2 with its own code means that the product is not enabled, not that the token lacks a permission.
  const denied = codes.includes(NOT_ALLOWED) || ([401, 403].includes(answer.status) && codes.length === 0);
  return { ok: false, status: answer.status, codes, denied, message };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
