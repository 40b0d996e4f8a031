// A profile's permission for an MCP server by OAuth, over the official client package: discovery, dynamic registration, PKCE, the exchange
// of a code, refresh. What must be remembered is one sealed JSON text. Called by connection.ts and by the routes. No token or code may reach
// a message, a log or a result.
import { type OAuthClientProvider, UnauthorizedError, auth } from "@modelcontextprotocol/client";
import { type Result, err, ok } from "../../core/errors.ts";
import type { McpEntry } from "../../core/mcp/ports.ts";
import type { Outbound } from "../../core/outbound/outbound.ts";
import type { McpAccess, McpServerName } from "../../core/schemas/profile/mcp.ts";
import { hushTokenErrors } from "./hush-token-errors.ts";
import { systemClock } from "../../stores/platform/system-clock.ts";
import type { Sealer } from "../../core/ports.ts";

/** Where a profile's access to its servers is kept: its Account. */
export interface AccessStore {
  read(server: McpServerName): Promise<McpAccess | null>;
  store(server: McpServerName, access: McpAccess): Promise<void>;
}

export interface OAuthDeps {
  outbound: Pick<Outbound, "limitedFetch">;
  sealer: Result<Sealer>;
  accesses: AccessStore;
}

/** What is sealed of an access. The package's own objects are kept as they are. */
interface AccessState {
  redirectUrl: string;
  client?: unknown;
  tokens?: unknown;
  discovery?: unknown;
  verifier?: string;
  /** Of the request that a person was sent to; proves that the answer is to it. */
  nonce?: string;
}

/** A person has this long to say yes. */
const ASKED_MS = 15 * 60_000;
const AUTH_MS = 20_000;
/** Metadata and tokens are small. */
const MAX_AUTH_BYTES = 256 << 10;

/** Starts a permission. `of`: `McpServer.target`. Returns the address that the person must open. Failure: `mcp_oauth_failed`. */
export async function startAccess(
  deps: OAuthDeps,
  server: McpServerName,
  { url, of, redirectUrl, nonce }: { url: string; of: string; redirectUrl: string; nonce: string },
): Promise<Result<{ open: string; expiresAt: number }>> {
  const state: AccessState = { redirectUrl, nonce };
  let open: URL | null = null;
  const provider = createProvider(state, { redirect: (to) => void (open = to) });
  const asked = await authorize(deps, provider, { serverUrl: url });
  const address = open as URL | null;
  if (!asked || !address || !/^https?:$/.test(address.protocol)) return FAILED;
  const stored = await storeState(deps, server, state, { of, state: "asked" });
  return stored.ok ? ok({ open: address.href, expiresAt: systemClock.now() + ASKED_MS }) : stored;
}

/** Ends it with what the person's browser brought back. Failures: `mcp_oauth_failed`, `mcp_oauth_unknown`. */
export async function finishAccess(
  deps: OAuthDeps,
  server: McpServerName,
  { url, nonce, params }: { url: string; nonce: string; params: URLSearchParams },
): Promise<Result<null>> {
  const access = await deps.accesses.read(server);
  const state = access && (await openState(deps, access));
  const isLate = access !== null && systemClock.now() - access.at > ASKED_MS;
  if (!state || access.state !== "asked" || isLate || !isEqual(state.nonce ?? "", nonce)) return UNKNOWN;
  const code = params.get("code");
  if (code === null) return FAILED;
  delete state.nonce;
  const iss = params.get("iss");
  const isGiven = await authorize(deps, createProvider(state, {}), {
    serverUrl: url,
    authorizationCode: code,
    ...(iss !== null && { iss }),
  });
  if (!isGiven || !state.tokens) return FAILED;
  delete state.verifier;
  const stored = await storeState(deps, server, state, { of: access.of, state: "granted" });
  return stored.ok ? ok(null) : stored;
}

/** For connections: gives tokens, and refreshes them. Never asks a person. */
export function createSessionProvider(deps: OAuthDeps, { name, config, access }: McpEntry): OAuthClientProvider {
  const state: AccessState = { redirectUrl: "" };
  let isLoaded = false;
  /** The owner may have set another address under this name since, or be about to give access again. */
  const isOwn = (stored: McpAccess | null): stored is McpAccess =>
    stored?.of === config.target && stored.state === "granted";
  const load = async (fresh: boolean) => {
    if (isLoaded && !fresh) return;
    // Another session may have refreshed the tokens since, which ends those that this one knows.
    const stored = fresh ? await deps.accesses.read(name) : access;
    const opened = isOwn(stored) ? await openState(deps, stored) : null;
    if (!opened) throw new UnauthorizedError(); // without tokens the package would register a new client
    Object.assign(state, opened);
    isLoaded = true;
  };
  return createProvider(state, {
    load,
    async saved() {
      if (isOwn(await deps.accesses.read(name)))
        await storeState(deps, name, state, { of: config.target, state: "granted" });
    },
  });
}

interface ProviderHooks {
  /** `fresh`: tokens are about to be refreshed. */
  load?(fresh: boolean): Promise<void>;
  saved?(): Promise<void>;
  redirect?(to: URL): void;
}

function createProvider(state: AccessState, { load, saved, redirect }: ProviderHooks): OAuthClientProvider {
  return {
    get redirectUrl() {
      return state.redirectUrl;
    },
    get clientMetadata() {
      return {
        client_name: "Talaria",
        redirect_uris: [state.redirectUrl],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "none",
      };
    },
    state: () => state.nonce ?? "",
    async clientInformation() {
      await load?.(false);
      return state.client as never;
    },
    saveClientInformation(client) {
      state.client = client;
    },
    async tokens(context) {
      await load?.(context !== undefined);
      return state.tokens as never;
    },
    async saveTokens(tokens) {
      state.tokens = tokens;
      await saved?.();
    },
    redirectToAuthorization: (to) => redirect?.(to),
    saveCodeVerifier(verifier) {
      state.verifier = verifier;
    },
    invalidateCredentials(scope) {
      // What is stored stays: another session may have newer tokens.
      if (scope === "client" || scope === "all") delete state.client;
      if (scope === "tokens" || scope === "all") delete state.tokens;
      if (scope === "discovery" || scope === "all") delete state.discovery;
    },
    codeVerifier: () => state.verifier ?? "",
    saveDiscoveryState(discovery) {
      state.discovery = discovery;
    },
    discoveryState: () => state.discovery as never,
  };
}

async function authorize(
  { outbound }: OAuthDeps,
  provider: OAuthClientProvider,
  options: { serverUrl: string; authorizationCode?: string; iss?: string },
): Promise<boolean> {
  const fetch = hushTokenErrors(outbound.limitedFetch(MAX_AUTH_BYTES));
  const signal = AbortSignal.timeout(AUTH_MS);
  try {
    await auth(provider, {
      ...options,
      fetchFn: (url, init) =>
        fetch(url, { ...init, signal: init?.signal ? AbortSignal.any([signal, init.signal]) : signal }),
    });
    return true;
  } catch {
    return false; // what is thrown may hold a code, a token or the server's words
  }
}

async function storeState(
  { sealer, accesses }: OAuthDeps,
  server: McpServerName,
  state: AccessState,
  as: Pick<McpAccess, "of" | "state">,
): Promise<Result<null>> {
  if (!sealer.ok) return sealer;
  const sealed = await sealer.value.seal(JSON.stringify(state));
  await accesses.store(server, { v: 1, ...as, at: systemClock.now(), sealed });
  return ok(null);
}

async function openState({ sealer }: OAuthDeps, { sealed }: McpAccess): Promise<AccessState | null> {
  const text = sealer.ok ? await sealer.value.open(sealed) : sealer;
  return text.ok ? (JSON.parse(text.value) as AccessState) : null;
}

const FAILED = err(
  "mcp_oauth_failed",
  "The server's authorization did not work: it could not be found, it refused to register this client, or the code was refused. Start again, or use a header with a key.",
);
const UNKNOWN = err("mcp_oauth_unknown", "There is no such authorization, or it is too old. Start it again.");

/** In constant time for texts of one length. */
function isEqual(a: string, b: string): boolean {
  if (a === "" || a.length !== b.length) return false;
  let difference = 0;
  for (let at = 0; at < a.length; at++) difference |= a.charCodeAt(at) ^ b.charCodeAt(at);
  return difference === 0;
}
