// Reads where a tap is, as a person writes it. Pure.
import { type Result, err, ok } from "../errors.ts";
import type { HubTap } from "../schemas/hub/taps.ts";
import { parseIdentifier, readGithubIdentifier, splitFragment } from "./finding/identifier.ts";

export type TapPlace = Pick<HubTap, "source" | "identifier">;

/**
 * A repository on GitHub, a folder of one, or the address of an index: as in a skill's identifier, and without a version or a skill's name,
 * because a tap is always the present state of all. Failure: `bad_hub_ref`. Whether the address may be asked is not judged here.
 */
export function parseTap(text: string): Result<TapPlace> {
  const parsed = parseIdentifier(text);
  const { source, identifier, version } = parsed.ok ? parsed.value : {};
  if (version === undefined && source === "github" && readGithubIdentifier(identifier!).skill === undefined)
    return ok({ source, identifier: identifier!.replace(/\/\.$/, "") });
  if (version === undefined && source === "well-known" && splitFragment(identifier!).name === undefined)
    return ok({ source, identifier: identifier! });
  return err(
    "bad_hub_ref",
    "This is not a tap. Write owner/repo, owner/repo/path, or the https address of an index, without a version.",
  );
}

/** A place in a repository that takes pull requests. */
export interface TapRepository {
  owner: string;
  repo: string;
  /** "" for the whole repository. */
  path: string;
}

/** Null for an index. */
export function toTapRepository({ source, identifier }: TapPlace): TapRepository | null {
  if (source !== "github") return null;
  const { repository, path } = readGithubIdentifier(identifier);
  const [owner = "", repo = ""] = repository.split("/");
  return { owner, repo, path: path ?? "" };
}
