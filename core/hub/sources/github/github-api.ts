// GitHub's REST API and raw files, as far as the hub reads them (docs.github.com/rest, version 2022-11-28; read in November 2026). A token is
// sent to the API only: files of a private repository come from the API as well. Opened once for each call of the source.
import { type Result, err, ok } from "../../../errors.ts";
import { isObject } from "../../../unknown-object.ts";
import { GITHUB_API } from "../../access.ts";
import { type HubClient, type HubClientDeps, badReply, openHubClient, readJson } from "../reading/client.ts";
import { blobShaOf } from "./git-hash.ts";
import { type TreeEntry, TreeReply } from "./tree.ts";

const RAW_BASE = "https://raw.githubusercontent.com";

export interface GithubDeps extends HubClientDeps {
  /** Without a trailing slash. `null`: github.com. */
  apiBase: string | null;
  token: string | null;
  /** Of a list of files. */
  maxIndexBytes: number;
}

export interface ResolvedRef {
  commit: string;
  moves?: true;
  /** The name is a commit that is not in the history of the default branch: GitHub also answers commits of forks under a repository's name. */
  offBranch?: true;
  /** The API leads the name to another repository: its owner has renamed it, or given it away. */
  renamed?: true;
  etag?: string;
}

export interface GithubApi {
  /** `null`: the default branch. `etag`: of an earlier answer for it. */
  resolve(repository: string, version: string | null, etag?: string): Promise<Result<ResolvedRef | "unchanged">>;
  /** As `HubSource.descends`. */
  descends(repository: string, commit: string, from: string): Promise<boolean | null>;
  /** `sha`: of a commit or a tree. Failures also: `hub_too_large`. */
  readTree(
    repository: string,
    sha: string,
    recursive: boolean,
  ): Promise<Result<{ entries: TreeEntry[]; truncated: boolean }>>;
  /** A file of a tree, compared with its SHA. */
  readFile(
    repository: string,
    commit: string,
    file: { path: string; sha: string; size: number },
  ): Promise<Result<Uint8Array>>;
}

export function openGithubApi(deps: GithubDeps, signal: AbortSignal): GithubApi {
  const { apiBase, token, maxIndexBytes } = deps;
  const client: HubClient = openHubClient(deps, signal);
  const configured = apiBase !== null;
  /** After a file that is not served raw, as in a private repository. */
  let usesBlobs = false;

  function askApi(path: string, options: { accept: string; maxBytes: number; etag?: string | undefined }) {
    const headers = {
      ...{ accept: options.accept, "x-github-api-version": "2022-11-28" },
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(options.etag !== undefined && { "if-none-match": options.etag }),
    };
    return client.get(`${apiBase ?? GITHUB_API}${path}`, { maxBytes: options.maxBytes, headers, configured });
  }

  /** The media type answers the SHA alone; a server that does not know it answers the whole commit. */
  async function readCommit(
    repository: string,
    ref: string,
    etag?: string,
  ): Promise<Result<ResolvedRef | "unchanged">> {
    const path = `/repos/${encodePath(repository)}/commits/${encodePath(ref)}`;
    const reply = await askApi(path, { accept: "application/vnd.github.sha", maxBytes: maxIndexBytes, etag });
    if (!reply.ok) return reply;
    if (reply.value.status === 304) return ok("unchanged");
    const text = new TextDecoder().decode(reply.value.bytes).trim();
    const parsed = text.startsWith("{") ? readJson(reply.value.bytes) : ok(null);
    const commit = parsed.ok && isObject(parsed.value) ? parsed.value.sha : text;
    if (typeof commit !== "string" || !/^[0-9a-f]{40}$/.test(commit)) return badReply("does not name a commit");
    const found = reply.value.headers.get("etag");
    const isElsewhere = new URL(reply.value.url).pathname !== new URL(`${apiBase ?? GITHUB_API}${path}`).pathname;
    return ok({ commit, ...(found && { etag: found }), ...(isElsewhere && { renamed: true as const }) });
  }

  /** What `to` is from `from`: `ahead`, `identical`, `behind`, `diverged`. `hub_not_found`: one is unknown, or they have nothing in common. */
  async function compare(repository: string, from: string, to: string): Promise<Result<unknown>> {
    // Page 2 has no changed files.
    const path = `/repos/${encodePath(repository)}/compare/${from}...${to}?per_page=1&page=2`;
    const reply = await askApi(path, { accept: "application/vnd.github+json", maxBytes: maxIndexBytes });
    const json = reply.ok ? readJson(reply.value.bytes) : reply;
    return json.ok ? ok(isObject(json.value) ? json.value.status : undefined) : json;
  }

  async function resolveCommit(repository: string, version: string): Promise<Result<ResolvedRef>> {
    const found = version.length === 40 ? ok({ commit: version }) : await readCommit(repository, version);
    if (!found.ok) return found;
    if (found.value === "unchanged") return badReply("is empty");
    const { commit } = found.value;
    const compared = await compare(repository, commit, "HEAD");
    // HEAD is `ahead` of a commit in its own history. Any other answer, and none, leaves it open.
    const isOwn = compared.ok && (compared.value === "ahead" || compared.value === "identical");
    return ok({ commit, ...(!isOwn && { offBranch: true as const }) });
  }

  return {
    async resolve(repository, version, etag) {
      if (version === null) {
        const head = await readCommit(repository, "HEAD", etag);
        return head.ok && head.value !== "unchanged" ? ok({ ...head.value, moves: true }) : head;
      }
      if (/^[0-9a-f]{40}$/.test(version)) return resolveCommit(repository, version);
      const name = version.replace(/^refs\/(?:heads|tags)\//, "");
      // Never the bare name: GitHub also resolves `pull/5/head`, which anybody can push to.
      const tag = version.startsWith("refs/heads/") ? NOT_FOUND : await readCommit(repository, `tags/${name}`);
      if (tag.ok || tag.failure.code !== "hub_not_found") return tag;
      const branch = version.startsWith("refs/tags/") ? NOT_FOUND : await readCommit(repository, `heads/${name}`);
      if (branch.ok && branch.value !== "unchanged") return ok({ ...branch.value, moves: true });
      if (branch.ok || branch.failure.code !== "hub_not_found" || !/^[0-9a-f]{7,39}$/.test(version)) return branch;
      return resolveCommit(repository, version);
    },

    async descends(repository, commit, from) {
      const compared = await compare(repository, from, commit);
      if (!compared.ok) return compared.failure.code === "hub_not_found" ? false : null;
      if (compared.value === "diverged") return false;
      return compared.value === "ahead" || compared.value === "identical" || compared.value === "behind" ? true : null;
    },

    async readTree(repository, sha, recursive) {
      const path = `/repos/${encodePath(repository)}/git/trees/${sha}${recursive ? "?recursive=1" : ""}`;
      const reply = await askApi(path, { accept: "application/vnd.github+json", maxBytes: maxIndexBytes });
      const json = reply.ok ? readJson(reply.value.bytes) : reply;
      if (!json.ok) return json;
      const read = TreeReply.safeParse(json.value);
      if (!read.success) return badReply("is not a list of files");
      return ok({ entries: read.data.tree, truncated: read.data.truncated });
    },

    async readFile(repository, commit, { path, sha, size }) {
      const maxBytes = Math.max(size, 1);
      const base = apiBase ?? RAW_BASE;
      const headers: Record<string, string> =
        apiBase !== null && token !== null ? { authorization: `Bearer ${token}` } : {};
      const address = `${base}/${encodePath(repository)}/${commit}/${encodePath(path)}`;
      let reply = usesBlobs ? NOT_FOUND : await client.get(address, { maxBytes, headers, configured });
      if (
        !reply.ok &&
        (reply.failure.code === "hub_not_found" || (reply.failure.code === "hub_rate_limited" && token !== null))
      ) {
        usesBlobs = true;
        const accept = "application/vnd.github.raw+json";
        reply = await askApi(`/repos/${encodePath(repository)}/git/blobs/${sha}`, { accept, maxBytes });
      }
      if (!reply.ok) return reply;
      const { bytes } = reply.value;
      if (blobShaOf(bytes) === sha) return ok(bytes);
      return err(
        "hub_digest_mismatch",
        "A file is not the one that the repository lists: its hash differs. Nothing was kept.",
      );
    },
  };
}

const NOT_FOUND = err("hub_not_found", "The repository has no such tag, branch or commit.");

function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}
