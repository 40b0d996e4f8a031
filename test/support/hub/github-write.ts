// A replica of what GitHub's REST API writes: forks, blobs, trees, commits, refs and pull requests, with git's own hashes, in memory. It
// answers as GitHub does where something exists already, is empty, or may not be done.
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

interface Repo {
  fullName: string;
  defaultBranch: string;
  parent?: string;
  archived?: boolean;
  /** Commits by branch. */
  refs: Map<string, string>;
  /** Reads of its refs that still find an empty fork. */
  empty: number;
}

interface PullRecord {
  number: number;
  base: string;
  label: string;
  ref: string;
  title: string;
  body: string;
  state: "open" | "closed";
  mergedAt: string | null;
}

type Entry = { mode: string; type: "blob" | "tree"; sha: string };
type Tree = Map<string, Entry>;

interface GivenEntry {
  path: string;
  mode: string;
  type: "blob" | "tree";
  sha?: string | null;
  content?: string;
}

/** What the requests send that write. */
interface Given {
  content: string;
  encoding: BufferEncoding;
  base_tree?: string;
  message: string;
  parents: string[];
  ref: string;
  sha: string;
  title: string;
  body: string;
  head: string;
  base: string;
}
type GivenBody = Given & { tree: GivenEntry[] };

export interface GithubOptions {
  /** Who each token is of. */
  tokens: Record<string, string>;
  /** Reads that find a fork still empty. */
  forkDelay?: number;
}

export type GithubReplica = ReturnType<typeof createGithubReplica>;

export function createGithubReplica({ tokens, forkDelay = 0 }: GithubOptions) {
  const repos = new Map<string, Repo>();
  const blobs = new Map<string, Buffer>();
  const trees = new Map<string, Tree>();
  const commits = new Map<string, { tree: string; parents: string[]; message: string }>();
  const pulls: PullRecord[] = [];
  /** Requests that change something, in order: `POST /repos/a/b/forks`. */
  const writes: string[] = [];
  /** Further answers by method and path, instead of the replica's own. */
  const answers = new Map<string, () => Response>();

  const findRepo = (name: string) => repos.get(name.toLowerCase());
  const ownerOf = (name: string) => name.split("/")[0]!;

  function putBlob(bytes: Buffer): string {
    const sha = hashObject("blob", bytes);
    blobs.set(sha, bytes);
    return sha;
  }

  function putTree(tree: Tree): string {
    const sorted = [...tree].sort(([a, one], [b, other]) => (nameOf(a, one) < nameOf(b, other) ? -1 : 1));
    const lines = sorted.map(([name, { mode, sha }]) =>
      Buffer.concat([Buffer.from(`${mode.replace(/^0/, "")} ${name}\0`), Buffer.from(sha, "hex")]),
    );
    const sha = hashObject("tree", Buffer.concat(lines));
    trees.set(sha, tree);
    return sha;
  }

  /** Puts an entry at a path with slashes, and makes the folders above it anew. */
  function withEntry(base: Tree, [name = "", ...rest]: string[], entry: Entry | null): Tree {
    const changed = new Map(base);
    if (rest.length === 0) {
      if (entry) changed.set(name, entry);
      else changed.delete(name);
      return changed;
    }
    const below = changed.get(name);
    const inner = withEntry(below?.type === "tree" ? trees.get(below.sha)! : new Map(), rest, entry);
    return changed.set(name, { mode: "040000", type: "tree", sha: putTree(inner) });
  }

  function makeTree(entries: GivenEntry[], baseTree?: string): string {
    let tree: Tree = new Map(baseTree === undefined ? [] : trees.get(baseTree)!);
    for (const { path, mode, type, sha, content } of entries) {
      const found = content === undefined ? sha : putBlob(Buffer.from(content));
      tree = withEntry(tree, path.split("/"), found ? { mode, type, sha: found } : null);
    }
    return putTree(tree);
  }

  /** Two of the same content differ in time, as GitHub's. */
  function putCommit({ tree, parents, message }: { tree: string; parents: string[]; message: string }): string {
    const sha = hashObject("commit", Buffer.from(JSON.stringify([tree, parents, message, commits.size])));
    commits.set(sha, { tree, parents, message });
    return sha;
  }

  function listFiles(sha: string, prefix = ""): Record<string, string> {
    const entries = [...(trees.get(sha) ?? [])].flatMap(([name, entry]) =>
      entry.type === "tree"
        ? Object.entries(listFiles(entry.sha, `${prefix}${name}/`))
        : [[`${prefix}${name}`, blobs.get(entry.sha)!.toString("latin1")] as [string, string]],
    );
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  const present = (repo: Repo, login: string) => ({
    full_name: repo.fullName,
    default_branch: repo.defaultBranch,
    archived: repo.archived ?? false,
    fork: repo.parent !== undefined,
    ...(repo.parent && { parent: { full_name: repo.parent } }),
    permissions: { push: ownerOf(repo.fullName) === login },
  });
  const presentPull = (pull: PullRecord) => ({
    number: pull.number,
    html_url: `https://github.com/${pull.base}/pull/${pull.number}`,
    state: pull.state,
    merged_at: pull.mergedAt,
    head: { label: pull.label, ref: pull.ref },
  });

  function fork(base: Repo, login: string): Response {
    const existing = [...repos.values()].find(
      (repo) => repo.parent === base.fullName && ownerOf(repo.fullName) === login,
    );
    if (existing) return answer(202, present(existing, login));
    const wanted = `${login}/${base.fullName.split("/")[1]}`;
    const fullName = findRepo(wanted) ? `${wanted}-1` : wanted;
    const made = { ...base, fullName, parent: base.fullName, refs: new Map(base.refs), empty: forkDelay };
    repos.set(fullName.toLowerCase(), made);
    return answer(202, present(made, login));
  }

  function openPull(base: Repo, given: { title: string; body: string; head: string; base: string }): Response {
    const [owner = "", ref = ""] = given.head.split(/:(.*)/s);
    const from = [...repos.values()].find(
      (repo) =>
        ownerOf(repo.fullName) === owner && (repo === base || repo.parent === base.fullName) && repo.refs.has(ref),
    );
    if (!from) return answer(422, { message: "Validation Failed", errors: [{ message: "head is invalid" }] });
    if (pulls.some((pull) => pull.base === base.fullName && pull.label === given.head && pull.state === "open")) {
      const message = `A pull request already exists for ${given.head}.`;
      return answer(422, { message: "Validation Failed", errors: [{ message }] });
    }
    const pull: PullRecord = {
      ...{ number: pulls.length + 1, base: base.fullName, label: given.head, ref },
      ...{ title: given.title, body: given.body, state: "open", mergedAt: null },
    };
    pulls.push(pull);
    return answer(201, presentPull(pull));
  }

  function answerRef(repo: Repo, branch: string): Response {
    if (repo.empty > 0) {
      repo.empty--;
      return answer(409, { message: "Git Repository is empty." });
    }
    if (repo.refs.size === 0) return answer(409, { message: "Git Repository is empty." });
    const sha = repo.refs.get(branch);
    return sha ? answer(200, { ref: `refs/heads/${branch}`, object: { type: "commit", sha } }) : NOT_FOUND();
  }

  async function handle(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const { method } = request;
    const own = answers.get(`${method} ${pathname}`);
    if (own) return own();
    const token = request.headers.get("authorization")?.replace(/^Bearer /, "") ?? "";
    const login = Object.hasOwn(tokens, token) ? tokens[token]! : null;
    if (login === null) return answer(401, { message: "Bad credentials" });
    if (method === "GET" && pathname === "/user") return answer(200, { login, id: 1 });
    const [, owner, name, rest = ""] = /^\/repos\/([^/]+)\/([^/]+)(?:\/(.*))?$/.exec(pathname) ?? [];
    const repo = findRepo(`${owner}/${name}`);
    if (!repo) return NOT_FOUND();
    if (method === "GET") return read(repo, decodeURIComponent(rest), searchParams, login);
    const body = await request.json<GivenBody>();
    const mayWrite = ownerOf(repo.fullName) === login;
    if (rest !== "forks" && rest !== "pulls" && !mayWrite)
      return answer(403, { message: "Resource not accessible by personal access token" });
    writes.push(`${method} ${pathname}`);
    return write(repo, rest, body, login);
  }

  function read(repo: Repo, rest: string, query: URLSearchParams, login: string): Response {
    if (rest === "") return answer(200, present(repo, login));
    if (rest.startsWith("git/ref/heads/")) return answerRef(repo, rest.slice("git/ref/heads/".length));
    if (rest.startsWith("git/commits/")) {
      const sha = rest.slice("git/commits/".length);
      const commit = commits.get(sha); // forks share their objects
      return commit ? answer(200, { sha, tree: { sha: commit.tree } }) : NOT_FOUND();
    }
    if (rest === "pulls") {
      const wanted = pulls.filter(
        (pull) => pull.base === repo.fullName && (!query.has("head") || pull.label === query.get("head")),
      );
      const state = query.get("state") ?? "open";
      const listed = wanted.filter((pull) => state === "all" || pull.state === state).toReversed();
      return answer(200, listed.map(presentPull));
    }
    return NOT_FOUND();
  }

  function write(repo: Repo, rest: string, body: GivenBody, login: string): Response {
    switch (rest) {
      case "forks":
        return fork(repo, login);
      case "git/blobs":
        return answer(201, { sha: putBlob(Buffer.from(body.content, body.encoding)) });
      case "git/trees":
        return answer(201, { sha: makeTree(body.tree, body.base_tree) });
      case "git/commits":
        return answer(201, { sha: putCommit({ ...body, tree: String(body.tree) }) });
      case "git/refs": {
        const branch = String(body.ref).replace("refs/heads/", "");
        if (repo.refs.has(branch)) return answer(422, { message: "Reference already exists" });
        repo.refs.set(branch, body.sha);
        return answer(201, { ref: body.ref, object: { type: "commit", sha: body.sha } });
      }
      case "pulls":
        return openPull(repo, body);
      default:
        return NOT_FOUND();
    }
  }

  return {
    handle,
    repos,
    pulls,
    writes,
    answers,
    /** Adds a repository with one commit of these files; none: it is empty. */
    addRepo(fullName: string, files: Record<string, string>, more: Partial<Repo> = {}): void {
      const refs = new Map<string, string>();
      const repo: Repo = { fullName, defaultBranch: "main", refs, empty: 0, ...more };
      const entries = Object.entries(files).map(([path, content]) => ({ path, content }));
      const tree = makeTree(entries.map((entry) => ({ ...entry, mode: "100644", type: "blob" as const })));
      if (entries.length > 0) refs.set(repo.defaultBranch, putCommit({ tree, parents: [], message: "First" }));
      repos.set(fullName.toLowerCase(), repo);
    },
    /** The files of a branch, by path, as Latin-1. */
    filesOf(fullName: string, branch: string): Record<string, string> {
      return listFiles(commits.get(findRepo(fullName)!.refs.get(branch)!)!.tree);
    },
    branchesOf: (fullName: string): string[] => [...findRepo(fullName)!.refs.keys()],
    merge(number: number): void {
      Object.assign(pulls[number - 1]!, { state: "closed", mergedAt: "2026-01-01T00:00:00Z" });
    },
  };
}

export interface GithubServer {
  url: string;
  replica: GithubReplica;
  close(): Promise<void>;
}

/** The same at an address of this machine. */
export async function startGithubReplica(options: GithubOptions): Promise<GithubServer> {
  const replica = createGithubReplica(options);
  const server = createServer(async (incoming, outgoing) => {
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece as Buffer);
    const { method = "GET", url = "/" } = incoming;
    const headers = { authorization: incoming.headers.authorization ?? "" };
    const body = method === "GET" ? null : Buffer.concat(pieces);
    const answered = await replica.handle(new Request(`http://replica${url}`, { method, headers, body }));
    outgoing.writeHead(answered.status, { "content-type": "application/json" }).end(await answered.text());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    replica,
    close: () => new Promise((done) => server.close(() => done())),
  };
}

const NOT_FOUND = () => answer(404, { message: "Not Found" });

function answer(status: number, body: unknown): Response {
  return Response.json(body, { status });
}

/** git sorts a folder as if its name ended with a slash. */
function nameOf(name: string, { type }: Entry): string {
  return type === "tree" ? `${name}/` : name;
}

function hashObject(type: string, bytes: Buffer): string {
  return createHash("sha1").update(`${type} ${bytes.length}\0`).update(bytes).digest("hex");
}
