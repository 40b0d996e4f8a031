// A profile's MCP servers as the routes of this folder see them: entries of the Account's settings, and what is needed to reach a server.
import { discover } from "../../../core/mcp/discover.ts";
import { readEntries } from "../../../core/mcp/entries.ts";
import type { McpEntry } from "../../../core/mcp/ports.ts";
import type { Result } from "../../../core/errors.ts";
import type { ProfileId } from "../../../core/schemas/ids.ts";
import type { McpServer } from "../../../core/schemas/profile/mcp.ts";
import type { ProfileSettings } from "../../../core/schemas/profile/settings.ts";
import { systemClock } from "../../../stores/platform/system-clock.ts";
import { openExecHost } from "../../../wiring/exec.ts";
import { createMcpDialer, type McpDialerDeps } from "../../../wiring/mcp/dialer.ts";
import { type SettingsAccount, openMcpDeps, storeCatalog } from "../../../wiring/mcp/open-mcp.ts";
import { openOutbound } from "../../../wiring/outbound.ts";
import { openSealer } from "../../../wiring/sealing.ts";
import { forgetAcceptedKeys } from "../auth/accepted-keys.ts";
import { type Env, parseEnvSettings } from "../env.ts";
import { AppError, unwrap } from "../problems.ts";
import { openAccount } from "../sessions/session-rpc.ts";

export interface McpAccount {
  deps: McpDialerDeps;
  list(): Promise<McpEntry[]>;
  /** Throws `mcp_server_not_found`. */
  find(server: string): Promise<McpEntry>;
  put(server: string, config: McpServer): Promise<void>;
  remove(server: string): Promise<void>;
  /** Asks a server what it offers, and stores that. Takes up to 20 seconds. */
  ask(entry: McpEntry): Promise<McpEntry>;
}

export function openMcpAccount(env: Env, profile: ProfileId): McpAccount {
  const stub = openAccount(env, profile);
  const account: SettingsAccount = {
    readSettings: () => stub.readSettings() as Promise<ProfileSettings>,
    putSetting: (...setting) => stub.putSetting(...setting) as Promise<Result<null>>,
  };
  const outbound = openOutbound(env, parseEnvSettings(env));
  const exec = openExecHost(env, profile, outbound);
  const sealer = openSealer(env, profile);
  const deps = openMcpDeps(account, { outbound, sealer, exec: exec.ok ? exec.value : null });
  const list = async () => readEntries((await account.readSettings()).sections);
  return {
    deps,
    list,
    async find(server) {
      const entry = (await list()).find(({ name }) => name === server);
      if (entry) return entry;
      throw new AppError("mcp_server_not_found", "This profile has no MCP server of that name. Set it with PUT.");
    },
    async put(server, config) {
      unwrap((await stub.putSetting("mcp", server, config)) as Result<null>);
      forgetAcceptedKeys(profile);
    },
    async remove(server) {
      const removed = (await stub.removeSetting("mcp", server)) as Result<null>;
      if (!removed.ok && removed.failure.code === "setting_not_found") {
        throw new AppError("mcp_server_not_found", "This profile has no MCP server of that name.");
      }
      unwrap(removed);
      forgetAcceptedKeys(profile);
    },
    async ask(entry) {
      const dialer = createMcpDialer(deps);
      const catalog = await discover({ dialer, clock: systemClock }, entry, new AbortController().signal);
      await storeCatalog(account, entry.name, catalog);
      forgetAcceptedKeys(profile);
      return { ...entry, catalog };
    },
  };
}
