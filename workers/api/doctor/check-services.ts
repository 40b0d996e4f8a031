// Tries what a deployment may be connected to: the exec host, the profile's MCP servers, the way out; and whether the profile's objects
// can be read by this version. Called by run-doctor.ts.
import { messageOf, newerStateOf } from "../../../core/errors.ts";
import type { McpEntry } from "../../../core/mcp/ports.ts";
import type { Outbound } from "../../../core/outbound/outbound.ts";
import type { DoctorLine } from "../../../core/schemas/doctor.ts";
import type { ExecHost } from "../../../core/tools/host/exec-host.ts";
import { bad, good, tell, warn } from "./lines.ts";

export const EXEC_FIX =
  "Start the exec host at TALARIA_EXEC_URL with the token in TALARIA_EXEC_TOKEN (docs/EXEC-HOST.md), or unset both.";

export async function checkExecHost(host: ExecHost, signal: AbortSignal): Promise<DoctorLine> {
  const listed = await host.listFolder(".", signal);
  return listed.ok
    ? good("exec host", "it answers and lists its folder")
    : bad("exec host", tell(`${listed.failure.message} (${listed.failure.code})`), EXEC_FIX);
}

export function mcpFix(name: string): string {
  return `Start the server, or correct it with PUT /v1/mcp/servers/${name}, or remove it with DELETE.`;
}

export async function checkMcpServer(
  entry: McpEntry,
  ask: (entry: McpEntry) => Promise<McpEntry>,
): Promise<DoctorLine> {
  const { catalog } = await ask(entry);
  const check = `MCP server ${entry.name}`;
  if (catalog?.listing && !catalog.failure) return good(check, `${catalog.listing.tools.length} tools`);
  return bad(check, tell(catalog?.failure?.message ?? "it did not answer"), mcpFix(entry.name));
}

/** An address of this machine's own network. It is never requested: the policy refuses it first. */
const PRIVATE = "http://169.254.169.254/";

export async function checkOutbound({ fetch }: Pick<Outbound, "fetch">, exceptions: number): Promise<DoctorLine> {
  const check = "outbound";
  try {
    await fetch(PRIVATE, { method: "HEAD" });
  } catch (error) {
    if (!/refus|not allowed|private/i.test(messageOf(error))) throw error;
    const found = "addresses of private networks are refused";
    if (exceptions === 0) return good(check, found);
    return good(check, `${found}, but for ${exceptions} that the operator allows`);
  }
  return bad(
    check,
    "an address of a private network was requested",
    "Take it out of `outbound.allow` in TALARIA_SETTINGS.",
  );
}

/** Reads what only a fitting version can read. A newer version's tables throw. */
export interface ProfileObjects {
  readAccount(): Promise<unknown>;
  /** `null`: the profile has none. */
  newestSession(): Promise<string | null>;
  readSession(session: string): Promise<unknown>;
}

export const OBJECTS_FIX =
  "Deploy the newest version that this deployment has had: its data is not readable by this one.";

export async function checkObjects(objects: ProfileObjects): Promise<DoctorLine[]> {
  const read = async (check: string, get: () => Promise<unknown>): Promise<DoctorLine> => {
    try {
      await get();
      return good(check, "its tables have this version's form");
    } catch (error) {
      const newer = newerStateOf(error);
      const isNewer = newer !== null || (error as { code?: unknown }).code === "state_newer";
      const fix = isNewer ? OBJECTS_FIX : "Look for the error in the Worker's log.";
      return bad(check, tell(newer ?? messageOf(error)), fix);
    }
  };
  const lines = [await read("tables of the account", objects.readAccount)];
  const session = await objects.newestSession().catch(() => null); // the account's line says why
  if (session !== null) lines.push(await read("tables of the newest session", () => objects.readSession(session)));
  return lines;
}

/** A setting that cannot be read is told before everything that needs it. */
export function tellNoModel(reason: string): DoctorLine {
  return bad("models", tell(reason), "Set the variable that the sentence names, then start or deploy again.");
}

export function tellRehearsal(): DoctorLine {
  return warn(
    "models",
    "rehearsal, a stand-in without a model",
    "Set ANTHROPIC_API_KEY, OPENAI_API_KEY or another provider's key (docs/CONFIGURATION.md).",
  );
}
