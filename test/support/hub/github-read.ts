// A replica of what GitHub answers to readers: commits of names, trees, comparisons, blobs and raw files, with git's own hashes, ETags and rate
// limits. Written from docs.github.com/rest (2022-11-28), without the product's code.
import { createHash } from "node:crypto";

/** A file, or what has no content of its own. */
export type RepoFile = string | Uint8Array | { link: string } | { submodule: string } | { executable: string };

interface Entry {
  path: string;
  mode: string;
  type: "blob" | "tree" | "commit";
  sha: string;
  size?: number;
}

interface Repo {
  head: string;
  branches: Map<string, string>;
  tags: Map<string, string>;
  pulls: Map<string, string>;
  commits: Map<string, { entries: Entry[]; tree: string; parent: string | null }>;
  blobs: Map<string, Uint8Array>;
  /** Trees by SHA, each with its entries at all depths. */
  trees: Map<string, Entry[]>;
}

export type GithubReads = ReturnType<typeof createGithubReads>;

export function createGithubReads() {
  const repos = new Map<string, Repo>();
  const state = {
    /** Needed for every request to the API; raw files of such repositories are not served. */
    privateToken: null as string | null,
    /** Answered instead of everything, while set. */
    limited: null as (() => Response) | null,
    /** More entries than these, and a tree is cut off. */
    maxEntries: 100_000,
    /** Further answers by path, instead of the replica's own. */
    answers: new Map<string, (request: Request) => Response>(),
    /** `200 GET /repos/a/b/commits/HEAD`. */
    log: [] as string[],
  };

  function commit(
    name: string,
    files: Record<string, RepoFile>,
    at: { branch?: string; tag?: string; pull?: string } = {},
  ): string {
    const repo = repos.get(name) ?? newRepo();
    repos.set(name, repo);
    const leaves = Object.entries(files).map(([path, file]) => toLeaf(repo, path, file));
    const { sha: tree, entries } = storeTree(repo, leaves);
    const branch = at.branch ?? "main";
    const parent = at.pull === undefined ? (repo.branches.get(branch) ?? null) : null;
    const sha = hash("commit", Buffer.from(`tree ${tree}\nparent ${parent}\nnumber ${repo.commits.size}\n`));
    repo.commits.set(sha, { entries, tree, parent });
    if (at.pull === undefined) repo.branches.set(branch, sha);
    else repo.pulls.set(at.pull, sha);
    if (branch === "main" && at.pull === undefined) repo.head = sha;
    if (at.tag !== undefined) repo.tags.set(at.tag, sha);
    return sha;
  }

  function handleApi(request: Request): Response {
    const { pathname, searchParams } = new URL(request.url);
    const given = state.answers.get(decodeURIComponent(pathname));
    if (given) return given(request);
    if (state.limited) return state.limited();
    if (state.privateToken !== null && request.headers.get("authorization") !== `Bearer ${state.privateToken}`)
      return notFound();
    const [, name = "", rest = ""] = /^\/repos\/([^/]+\/[^/]+)\/(.*)$/.exec(decodeURIComponent(pathname)) ?? [];
    const repo = repos.get(name);
    if (!repo) return notFound();
    const [kind, ...words] = rest.split("/");
    if (kind === "commits") return answerCommit(request, repo, words.join("/"));
    if (kind === "compare") return answerCompare(repo, words.join("/"));
    if (kind === "git" && words[0] === "trees")
      return answerTree(repo, words[1]!, searchParams.get("recursive") === "1");
    if (kind === "git" && words[0] === "blobs") return answerBlob(request, repo.blobs.get(words[1]!));
    return notFound();
  }

  function handleRaw(request: Request): Response {
    const path = decodeURIComponent(new URL(request.url).pathname);
    const given = state.answers.get(path);
    if (given) return given(request);
    const [, name = "", sha = "", file = ""] = /^\/([^/]+\/[^/]+)\/([^/]+)\/(.*)$/.exec(path) ?? [];
    const repo = state.privateToken === null ? repos.get(name) : undefined;
    const entry = repo?.commits.get(sha)?.entries.find(({ path: own, type }) => own === file && type === "blob");
    const body = entry && repo!.blobs.get(entry.sha);
    return body
      ? new Response(body as BodyInit, { headers: { "content-type": "text/plain; charset=utf-8" } })
      : new Response("404: Not Found", { status: 404 });
  }

  function answerTree(repo: Repo, sha: string, recursive: boolean): Response {
    const entries = repo.commits.get(sha)?.entries ?? repo.trees.get(sha);
    if (!entries) return notFound();
    const listed = recursive ? entries : entries.filter(({ path }) => !path.includes("/"));
    const truncated = listed.length > state.maxEntries;
    const tree = listed.slice(0, state.maxEntries).map((entry) => ({ ...entry, url: "https://api.github.com/x" }));
    return Response.json({ sha, url: "https://api.github.com/x", tree, truncated });
  }

  const log = (handle: (request: Request) => Response) => (request: Request) => {
    const reply = handle(request);
    state.log.push(`${reply.status} ${request.method} ${decodeURIComponent(new URL(request.url).pathname)}`);
    return reply;
  };

  return {
    ...{ state, commit, repos },
    api: log(handleApi),
    raw: log(handleRaw),
    /** Both at one address, as a server of `hub.github.apiBase` has them. */
    both: log((request) =>
      new URL(request.url).pathname.startsWith("/repos/") ? handleApi(request) : handleRaw(request),
    ),
    treeOf: (name: string, folder: string): string =>
      repos
        .get(name)!
        .commits.get(repos.get(name)!.head)!
        .entries.find(({ path }) => path === folder)!.sha,
  };
}

function newRepo(): Repo {
  return {
    head: "",
    branches: new Map(),
    tags: new Map(),
    pulls: new Map(),
    commits: new Map(),
    blobs: new Map(),
    trees: new Map(),
  };
}

function toLeaf(repo: Repo, path: string, file: RepoFile): Entry {
  if (typeof file === "object" && "submodule" in file)
    return { path, mode: "160000", type: "commit", sha: file.submodule };
  const content =
    typeof file === "string" || file instanceof Uint8Array ? file : "link" in file ? file.link : file.executable;
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const sha = hash("blob", bytes);
  repo.blobs.set(sha, bytes);
  const mode =
    typeof file === "object" && "link" in file
      ? "120000"
      : typeof file === "object" && "executable" in file
        ? "100755"
        : "100644";
  return { path, mode, type: "blob", sha, size: bytes.length };
}

/** Stores a folder and those below it. GitHub lists a folder before what is in it. */
function storeTree(repo: Repo, leaves: Entry[]): { sha: string; entries: Entry[] } {
  const groups = new Map<string, Entry[]>();
  for (const leaf of leaves) {
    const [name = "", ...rest] = leaf.path.split("/");
    groups.set(name, [...(groups.get(name) ?? []), { ...leaf, path: rest.join("/") }]);
  }
  const entries: Entry[] = [];
  const lines: { key: string; line: Buffer }[] = [];
  for (const [name, inside] of groups) {
    const isFile = inside.length === 1 && inside[0]!.path === "";
    const below = isFile ? null : storeTree(repo, inside);
    const own: Entry = below
      ? { path: name, mode: "040000", type: "tree", sha: below.sha }
      : { ...inside[0]!, path: name };
    entries.push(own, ...(below?.entries ?? []).map((entry) => ({ ...entry, path: `${name}/${entry.path}` })));
    const head = Buffer.from(`${own.mode.replace(/^0/, "")} ${name}\0`);
    lines.push({ key: below ? `${name}/` : name, line: Buffer.concat([head, Buffer.from(own.sha, "hex")]) });
  }
  lines.sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
  const sha = hash("tree", Buffer.concat(lines.map(({ line }) => line)));
  repo.trees.set(sha, entries);
  return { sha, entries };
}

/** `HEAD`, `heads/<branch>`, `tags/<tag>`, a commit's number or the start of one; and `pull/<n>/head`, which anybody can make. */
function answerCommit(request: Request, repo: Repo, ref: string): Response {
  const [kind, name = ""] = ref.split(/\/(.*)/s);
  const byName = {
    HEAD: repo.head,
    heads: repo.branches.get(name),
    tags: repo.tags.get(name),
    pull: repo.pulls.get(ref),
  }[kind!];
  const byNumber = /^[0-9a-f]{7,40}$/.test(ref)
    ? [...repo.commits.keys()].find((sha) => sha.startsWith(ref))
    : undefined;
  const sha = byName ?? byNumber;
  if (!sha) return Response.json({ message: `No commit found for SHA: ${ref}`, status: "422" }, { status: 422 });
  const etag = `W/"${sha}"`;
  if (request.headers.get("if-none-match") === etag) return new Response(null, { status: 304, headers: { etag } });
  const isShort = request.headers.get("accept") === "application/vnd.github.sha";
  const headers = { etag, "content-type": isShort ? "application/vnd.github.sha; charset=utf-8" : "application/json" };
  return new Response(isShort ? sha : JSON.stringify({ sha, commit: { message: "A commit" } }), { headers });
}

function answerCompare(repo: Repo, words: string): Response {
  const [base = "", head = ""] = words.split("...");
  const tip = head === "HEAD" ? repo.head : head;
  if (!repo.commits.has(base) || !repo.commits.has(tip)) return notFound();
  let at: string | null = tip;
  while (at !== null && at !== base) at = repo.commits.get(at)!.parent;
  return Response.json({ status: base === tip ? "identical" : at === base ? "ahead" : "diverged", commits: [] });
}

function answerBlob(request: Request, bytes: Uint8Array | undefined): Response {
  if (!bytes) return notFound();
  if (request.headers.get("accept") === "application/vnd.github.raw+json") return new Response(bytes as BodyInit);
  return Response.json({ content: Buffer.from(bytes).toString("base64"), encoding: "base64" });
}

function notFound(): Response {
  return Response.json({ message: "Not Found", status: "404" }, { status: 404 });
}

/** GitHub's primary limit: 60 requests an hour without a token. `resetAt`: milliseconds since 1970. */
export function limitReached(resetAt: number): Response {
  const headers = {
    "x-ratelimit-limit": "60",
    "x-ratelimit-remaining": "0",
    "x-ratelimit-reset": String(Math.ceil(resetAt / 1_000)),
  };
  return Response.json({ message: "API rate limit exceeded for 192.0.2.1." }, { status: 403, headers });
}

function hash(kind: string, bytes: Uint8Array): string {
  return createHash("sha1").update(`${kind} ${bytes.length}\0`).update(bytes).digest("hex");
}
