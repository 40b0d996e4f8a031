// What the MCP client needs, over a deployment's bindings, for one profile. Called by the Session and by workers/api.
import type { Result } from "../../core/errors.ts";
import type { Outbound } from "../../core/outbound/outbound.ts";
import type { Sealer } from "../../core/ports.ts";
import type { McpCatalog, McpAccess } from "../../core/schemas/profile/mcp.ts";
import type { ProfileSettings } from "../../core/schemas/profile/settings.ts";
import type { ExecHost } from "../../core/tools/host/exec-host.ts";
import type { McpDialerDeps } from "./dialer.ts";

/** The part of the profile's Account that keeps settings. */
export interface SettingsAccount {
  readSettings(): Promise<ProfileSettings>;
  putSetting(section: "mcpCatalogs" | "mcpAccess", key: string, value: McpCatalog | McpAccess): Promise<Result<null>>;
}

export function openMcpDeps(
  account: SettingsAccount,
  rest: { outbound: Outbound; sealer: Result<Sealer>; exec: ExecHost | null },
): McpDialerDeps {
  return {
    ...rest,
    token: () => crypto.randomUUID(),
    accesses: {
      async read(server) {
        return (await account.readSettings()).sections.mcpAccess[server] ?? null;
      },
      async store(server, access) {
        assertStored(await account.putSetting("mcpAccess", server, access));
      },
    },
  };
}

export async function storeCatalog(account: SettingsAccount, server: string, catalog: McpCatalog): Promise<void> {
  assertStored(await account.putSetting("mcpCatalogs", server, catalog));
}

/** A server or a profile that was removed meanwhile needs nothing stored. */
function assertStored(stored: Result<null>): void {
  if (!stored.ok && !GONE.has(stored.failure.code))
    throw new Error(`${stored.failure.code}: ${stored.failure.message}`);
}

const GONE = new Set(["setting_not_found", "profile_gone"]);
