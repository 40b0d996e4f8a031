// Publishes a folder of files to a GitHub repository as a pull request. Called by the route `POST /v1/hub/publish`. Each step first looks for
// what an earlier attempt made, so that a repeated request makes no second fork, branch or pull request. Only a commit can be made twice: one
// that no branch names, which GitHub removes.
import * as z from "zod";
import { type Result, err, ok } from "../../errors.ts";
import type { Clock } from "../../ports.ts";
import { toBase64 } from "../../schemas/base64.ts";
import type { FileBodies } from "../../schemas/file-body.ts";
import type { TapRepository } from "../taps.ts";
import type { Github } from "./github-client.ts";

export interface Publication {
  place: TapRepository;
  /** Of the files in the repository: `skills/reading-logs`. */
  folder: string;
  files: FileBodies;
  branch: string;
  title: string;
  /** Of the pull request. */
  body: string;
}

export interface PublishedBranch {
  /** `owner/repo` */
  repository: string;
  head: string;
  /** Null: the repository has exactly these files already. */
  pull: { number: number; url: string; state: "open" | "closed" | "merged" } | null;
  opened: boolean;
}

interface Deps {
  github: Github;
  clock: Clock;
  signal: AbortSignal;
}

const FullName = z.string().regex(/^(?!\.{1,2}\/)[\w.-]+\/(?!\.{1,2}$)[\w.-]+$/);
const Sha = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/);
const Repository = z.object({
  full_name: FullName,
  default_branch: z.string().min(1).max(255),
  permissions: z.object({ push: z.boolean() }).optional(),
  archived: z.boolean().optional(),
  fork: z.boolean().optional(),
  parent: z.object({ full_name: FullName }).optional(),
});
type Repository = z.infer<typeof Repository>;
const Ref = z.object({ object: z.object({ sha: Sha }) });
const Commit = z.object({ sha: Sha, tree: z.object({ sha: Sha }) });
type Commit = z.infer<typeof Commit>;
const Made = z.object({ sha: Sha });
const Pull = z.object({
  number: z.int(),
  html_url: z.url({ protocol: /^https?$/ }),
  state: z.string(),
  merged_at: z.string().nullish(),
  head: z.object({ label: z.string().nullish(), ref: z.string() }),
});

/**
 * Failures: those of `Github.call`, and `hub_fork_pending` (GitHub is still making the fork: the same request again goes on),
 * `hub_refused` (GitHub refuses a branch or the pull request, and says why).
 */
export async function publishPull(deps: Deps, publication: Publication): Promise<Result<PublishedBranch>> {
  const { github } = deps;
  const { owner, repo } = publication.place;
  const base = await github.call(Repository, "GET", `/repos/${owner}/${repo}`);
  if (!base.ok) return base;
  if (base.value.archived) return err("hub_forbidden", "The repository is archived: it takes no pull requests.");
  const head = base.value.permissions?.push ? base : await openFork(deps, base.value);
  if (!head.ok) return head;
  const names = { repository: base.value.full_name, head: head.value.full_name };

  const found = await findPull(github, base.value, { ...publication, head: names.head });
  if (!found.ok) return found;
  if (found.value) return ok({ ...names, pull: found.value, opened: false });

  const branch = await makeBranch(deps, { base: base.value, head: head.value }, publication);
  if (!branch.ok) return branch;
  if (branch.value === "unchanged") return ok({ ...names, pull: null, opened: false });

  const opened = await openPull(github, base.value, { ...publication, head: names.head });
  return opened.ok ? ok({ ...names, ...opened.value }) : opened;
}

// ---- the fork ----

/** [own] A fork of a large repository takes minutes: the person asks again. */
const FORK_WAITS_MS = [1_000, 2_000, 3_000, 5_000, 8_000];

/** The person's fork, made if there is none, once its branch can be read. */
async function openFork({ github, clock, signal }: Deps, base: Repository): Promise<Result<Repository>> {
  const user = await github.call(z.object({ login: z.string().regex(/^[\w.-]+$/) }), "GET", "/user");
  if (!user.ok) return user;
  const [, repo] = base.full_name.split("/");
  const known = await github.find(Repository, `/repos/${user.value.login}/${repo}`, [404]);
  if (!known.ok) return known;
  const isFork = known.value?.fork === true && isSameName(known.value.parent?.full_name, base.full_name);
  // GitHub answers with the fork that exists, also under another name.
  const fork = isFork ? ok(known.value!) : await github.call(Repository, "POST", `/repos/${base.full_name}/forks`, {});
  if (!fork.ok) return fork;
  for (const waitMs of [...FORK_WAITS_MS, 0]) {
    const ref = await github.find(Ref, toRefPath(fork.value.full_name, fork.value.default_branch), [404, 409]);
    if (!ref.ok) return ref;
    if (ref.value) return fork;
    if (waitMs > 0) await clock.sleep(waitMs, signal);
  }
  return err("hub_fork_pending", "GitHub is still making your fork of the repository. Publish again in a minute.");
}

function isSameName(one: string | undefined, other: string): boolean {
  return one?.toLowerCase() === other.toLowerCase();
}

// ---- the branch ----

interface Repositories {
  base: Repository;
  head: Repository;
}

async function makeBranch(
  deps: Deps,
  { base, head }: Repositories,
  publication: Publication,
): Promise<Result<"made" | "unchanged">> {
  const { github } = deps;
  const at = toRefPath(head.full_name, publication.branch);
  const known = await github.find(Ref, at, [404]);
  if (!known.ok) return known;
  if (known.value) return ok("made");
  const start = await findStart(github, { base, head });
  if (!start.ok) return start;
  const tree = await makeTree(github, head.full_name, start.value, publication);
  if (!tree.ok) return tree;
  if (tree.value === start.value.tree.sha) return ok("unchanged");
  const commit = await github.call(Made, "POST", `/repos/${head.full_name}/git/commits`, {
    message: publication.title,
    tree: tree.value,
    parents: [start.value.sha],
  });
  if (!commit.ok) return commit;
  const ref = { ref: `refs/heads/${publication.branch}`, sha: commit.value.sha };
  const made = await github.create(Ref, `/repos/${head.full_name}/git/refs`, ref);
  if (!made.ok || "made" in made.value) return made.ok ? ok("made") : made;
  // Another attempt was faster.
  const other = await github.find(Ref, at, [404]);
  if (!other.ok) return other;
  return other.value ? ok("made") : err("hub_refused", `GitHub refuses the branch: ${made.value.says}`);
}

/**
 * The commit that the branch starts from: the newest of the repository, where the fork knows it (forks share their objects), else the
 * newest of the fork.
 */
async function findStart(github: Github, { base, head }: Repositories): Promise<Result<Commit>> {
  const newest = await github.call(Ref, "GET", toRefPath(base.full_name, base.default_branch));
  if (!newest.ok) return newest;
  const here = await github.find(Commit, `/repos/${head.full_name}/git/commits/${newest.value.object.sha}`, [404, 422]);
  if (!here.ok) return here;
  if (here.value) return ok(here.value);
  const own = await github.call(Ref, "GET", toRefPath(head.full_name, head.default_branch));
  if (!own.ok) return own;
  return github.call(Commit, "GET", `/repos/${head.full_name}/git/commits/${own.value.object.sha}`);
}

/** The tree with the whole folder replaced: a file that the skill no longer has goes, too. */
async function makeTree(
  github: Github,
  repository: string,
  { tree: { sha: before } }: Commit,
  { folder, files }: Publication,
): Promise<Result<string>> {
  const entries: object[] = [];
  for (const [path, body] of Object.entries(files)) {
    const entry = { path, mode: "100644", type: "blob" };
    // A text goes with its tree: GitHub limits how many things are made in a minute.
    if (typeof body === "string" && !body.includes("\0")) {
      entries.push({ ...entry, content: body });
      continue;
    }
    const content = toBase64(typeof body === "string" ? new TextEncoder().encode(body) : body);
    const blob = await github.call(Made, "POST", `/repos/${repository}/git/blobs`, { content, encoding: "base64" });
    if (!blob.ok) return blob;
    entries.push({ ...entry, sha: blob.value.sha });
  }
  const inner = await github.call(Made, "POST", `/repos/${repository}/git/trees`, { tree: entries });
  if (!inner.ok) return inner;
  const place = { path: folder, mode: "040000", type: "tree", sha: inner.value.sha };
  const whole = await github.call(Made, "POST", `/repos/${repository}/git/trees`, { base_tree: before, tree: [place] });
  return whole.ok ? ok(whole.value.sha) : whole;
}

// ---- the pull request ----

type Asked = Pick<Publication, "branch" | "title" | "body"> & { head: string };
type FoundPull = NonNullable<PublishedBranch["pull"]>;

/** The open one; else the newest that was closed or merged, which is not opened again. */
async function findPull(github: Github, base: Repository, { branch, head }: Asked): Promise<Result<FoundPull | null>> {
  const label = toLabel(head, branch);
  const query = new URLSearchParams({ state: "all", head: label, base: base.default_branch });
  const pulls = await github.call(z.array(Pull), "GET", `/repos/${base.full_name}/pulls?${query}`);
  if (!pulls.ok) return pulls;
  const own = pulls.value.filter((pull) => isSameName(pull.head.label ?? undefined, label));
  const pull = own.find(({ state }) => state === "open") ?? own[0];
  return ok(pull ? toFound(pull) : null);
}

async function openPull(
  github: Github,
  base: Repository,
  asked: Asked,
): Promise<Result<Pick<PublishedBranch, "pull" | "opened">>> {
  const { branch, head, title, body } = asked;
  const made = await github.create(Pull, `/repos/${base.full_name}/pulls`, {
    title,
    body,
    head: toLabel(head, branch),
    base: base.default_branch,
  });
  if (!made.ok) return made;
  if ("made" in made.value) return ok({ pull: toFound(made.value.made), opened: true });
  // Another attempt was faster.
  const found = await findPull(github, base, asked);
  if (!found.ok) return found;
  if (found.value) return ok({ pull: found.value, opened: false });
  return err("hub_refused", `GitHub refuses the pull request: ${made.value.says}`);
}

function toFound({ number, html_url: url, state, merged_at: mergedAt }: z.infer<typeof Pull>): FoundPull {
  return { number, url, state: mergedAt ? "merged" : state === "open" ? "open" : "closed" };
}

function toLabel(repository: string, branch: string): string {
  return `${repository.split("/")[0]}:${branch}`;
}

function toRefPath(repository: string, branch: string): string {
  return `/repos/${repository}/git/ref/heads/${branch.split("/").map(encodeURIComponent).join("/")}`;
}
