// Opens connections to a profile's MCP servers. Called by the Session and by workers/api. The official client package is loaded with the
// first connection: it takes time to start, and most sessions have no MCP server.
import { type Result, err, ok } from "../../core/errors.ts";
import type { McpDialer, McpEntry, McpFailure } from "../../core/mcp/ports.ts";
import type { Outbound } from "../../core/outbound/outbound.ts";
import { McpSecret } from "../../core/schemas/profile/mcp.ts";
import type { ExecHost } from "../../core/tools/host/exec-host.ts";
import type { Sealer } from "../../core/ports.ts";
import type { AccessStore } from "./oauth.ts";

export interface McpDialerDeps {
  outbound: Pick<Outbound, "limitedFetch">;
  sealer: Result<Sealer>;
  /** `null`: none for this profile, so local servers cannot run. */
  exec: ExecHost | null;
  accesses: AccessStore;
  /** Random letters, new with each call. */
  token(): string;
}

/** Of one reply of a server. A reply of 50 MB would fill the memory of an isolate with its parsed form. */
export const MAX_REPLY_BYTES = 4 << 20;

export function createMcpDialer(deps: McpDialerDeps): McpDialer {
  return {
    async open(entry, options) {
      const secret = await openSecret(deps.sealer, entry);
      if (!secret.ok) return secret;
      const { openConnection } = await import("./connection.ts");
      return openConnection(deps, entry, secret.value, options);
    },
  };
}

/** What is sealed of a server. Failure: `mcp_not_supported`. */
export async function openSecret(
  sealer: Result<Sealer>,
  { config }: Pick<McpEntry, "config">,
): Promise<Result<McpSecret, McpFailure>> {
  const text = sealer.ok ? await sealer.value.open(config.sealed) : sealer;
  if (!text.ok)
    return err("mcp_not_supported", "What is stored of this server cannot be opened. Set the server again.");
  return ok(McpSecret.parse(JSON.parse(text.value)));
}
