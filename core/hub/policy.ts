// Whether a package may be installed, by how far its source is believed and what the scanner found. Pure; docs/THREAT-MODEL.md has the table.
import type { HubDecision, HubReport } from "../schemas/hub/hub-api.ts";
import type { HubRef, HubTrust } from "../schemas/hub/lock.ts";
import { type Failure, err } from "../errors.ts";

/**
 * `trusted`: repositories that the operator named. Only content that comes from the repository itself counts: another source that names the
 * same repository may serve something else, and a commit outside its branches (`offBranch`) may be of a fork.
 */
export function trustOf(
  { source, identifier, offBranch }: Pick<HubRef, "source" | "identifier"> & { offBranch?: boolean | undefined },
  trusted: string[],
): HubTrust {
  if (source === "library") return "library";
  if (source !== "github" || offBranch) return "community";
  const repository = identifier.split("/").slice(0, 2).join("/").toLowerCase();
  return trusted.some((name) => name.toLowerCase() === repository) ? "trusted" : "community";
}

/** A dangerous package is refused whatever its source, and nothing lifts that. */
export function decideInstall(
  trust: HubTrust,
  { verdict, scripts }: Pick<HubReport, "verdict" | "scripts">,
): HubDecision {
  if (verdict === "dangerous") {
    return { outcome: "refused", why: "The scanner found text that would do harm if an agent followed it." };
  }
  if (trust !== "community") {
    const origin =
      trust === "library" ? "from a profile that this one follows" : "from a repository that the operator trusts";
    return { outcome: "allowed", why: `It is ${origin}, and the scanner found nothing dangerous.` };
  }
  const reasons = [
    ...(verdict === "caution" ? ["the scanner found doubtful text"] : []),
    ...(scripts.length > 0 ? [`it has ${scripts.length} files that can be run`] : []),
  ];
  if (reasons.length === 0) return { outcome: "allowed", why: "It has no scripts, and the scanner found nothing." };
  return { outcome: "ask", why: `Nobody here vouches for its source, and ${reasons.join(" and ")}.` };
}

/** `seen`: the person sent the hash of what was shown. Failures: `hub_dangerous`, `hub_ask`. */
export function checkDecision({ outcome, why }: HubDecision, seen: boolean, hash: string): Failure | null {
  if (outcome === "refused") return err("hub_dangerous", `It was not installed. ${why} No setting lifts this.`).failure;
  if (outcome === "allowed" || seen) return null;
  return err("hub_ask", `It was not installed yet. ${why} Look at it, and send its \`hash\` to install exactly that.`, {
    hash,
  }).failure;
}
