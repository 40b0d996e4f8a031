// A profile's token for GitHub: sealed with the server that it is for, and opened for that server only. Called by the routes of taps and of
// publishing. Pure but for the sealer.
import { type Result, err, ok } from "../errors.ts";
import type { Sealer } from "../ports.ts";
import { type HubAccess, SealedAccess } from "../schemas/hub/taps.ts";
import type { Settings } from "../schemas/settings.ts";

/** The key of the section `hubAccess`. */
export const GITHUB_ACCESS = "github";

export const GITHUB_API = "https://api.github.com";

/** The address of GitHub's REST API that this deployment asks, without a slash at its end. */
export function githubApi({ hub }: Settings): string {
  return (hub.github.apiBase ?? GITHUB_API).replace(/\/+$/, "");
}

/** `at`: milliseconds since 1970. */
export async function sealAccess(sealer: Sealer, access: SealedAccess, at: number): Promise<HubAccess> {
  return { server: access.server, sealed: await sealer.seal(JSON.stringify(access)), setAt: at };
}

/** The token. Failures: `hub_token_missing` (none, or one for another server), `secret_unreadable`, `sealing_key_missing`. */
export async function openAccess(
  sealer: Result<Sealer>,
  access: HubAccess | undefined,
  server: string,
): Promise<Result<string>> {
  if (!access)
    return err(
      "hub_token_missing",
      "No GitHub token is set. `talaria skills github-token` or PUT /v1/hub/github-token sets one.",
    );
  if (!sealer.ok) return sealer;
  const opened = await sealer.value.open(access.sealed);
  if (!opened.ok) return opened;
  const { server: sealedFor, token } = SealedAccess.parse(JSON.parse(opened.value));
  if (sealedFor === server && access.server === server) return ok(token);
  return err(
    "hub_token_missing",
    "The GitHub token was given for another server than this deployment uses now. Set it again.",
  );
}
