// Publishing as a pull request, against a replica of GitHub: what is written, what a repeated attempt finds, and what is refused.
import { describe, expect, it } from "vitest";
import { createGithub } from "../../core/hub/publish/github-client.ts";
import { prepareCopy } from "../../core/hub/publish/prepare-copy.ts";
import { publishPull } from "../../core/hub/publish/publish-pull.ts";
import { createOutbound } from "../../core/outbound/outbound.ts";
import type { FileBodies } from "../../core/schemas/file-body.ts";
import { type GithubOptions, createGithubReplica } from "../support/hub/github-write.ts";

const SKILL_MD = "---\nname: rain\ndescription: Reads rain tables.\n---\n\n# Rain\n";
const FILES: FileBodies = {
  "SKILL.md": SKILL_MD,
  "scripts/mean.py": "print(1)\r\n",
  "assets/logo.bin": Uint8Array.of(0, 255, 13, 10),
  "talaria-requests.md": "- my private question\n",
};
const PUBLISHED = {
  "skills/rain/SKILL.md": SKILL_MD,
  "skills/rain/assets/logo.bin": "\x00\xff\r\n",
  "skills/rain/scripts/mean.py": "print(1)\r\n",
};
const README = { "README.md": "Skills.\n" };
const PLACE = { owner: "team", repo: "skills", path: "" };
const KEY = "ghp_0123456789abcdefghijklmnop";

function world(options: Partial<GithubOptions> = {}) {
  const github = createGithubReplica({ tokens: { "token-of-ada": "ada", "token-of-team": "team" }, ...options });
  github.addRepo("team/skills", README);
  const sleeps: number[] = [];
  const clock = {
    now: () => 1_700_000_000_000,
    // A timeout of a request never comes; a wait for a fork is over at once.
    sleep: (ms: number, signal?: AbortSignal) => {
      if (ms < 20_000) sleeps.push(ms);
      return ms < 20_000
        ? Promise.resolve()
        : new Promise<void>((done) => signal?.addEventListener("abort", () => done()));
    },
  };
  /** `dieAfter`: the answer to this request, counted from 0, is lost, and none is sent after it. */
  function publish(token: string, { files = FILES, dieAfter = Infinity, from = undefined as string | undefined } = {}) {
    let sent = 0;
    const fetch = async (input: RequestInfo | URL, init?: RequestInit) => {
      const at = sent++;
      if (at > dieAfter) throw new Error("dead");
      const response = await github.handle(new Request(input as string, init));
      if (at === dieAfter) throw new Error("killed");
      return response;
    };
    const policy = { ports: [], allow: [], configured: ["https://api.github.com"] };
    const outbound = createOutbound({ fetch, clock, policy });
    const { signal } = new AbortController();
    const deps = { outbound, apiBase: "https://api.github.com", token, signal, now: clock.now };
    const copy = prepareCopy({ name: "rain", files, cameFrom: from }, PLACE, "Please take it.");
    if (!copy.ok) throw new Error(copy.failure.message);
    const { publication } = copy.value;
    return publishPull({ github: createGithub(deps), clock, signal }, publication).then((result) => ({
      result,
      sent,
      branch: publication.branch,
    }));
  }
  return { github, sleeps, publish };
}

describe("publishing", () => {
  it("opens a pull request from a fork with exactly the strict copy, and touches nothing else", async () => {
    const { github, publish } = world();
    const { result, branch } = await publish("token-of-ada");
    expect(result).toEqual({
      ok: true,
      value: {
        repository: "team/skills",
        head: "ada/skills",
        pull: { number: 1, url: "https://github.com/team/skills/pull/1", state: "open" },
        opened: true,
      },
    });
    expect(github.filesOf("ada/skills", branch)).toEqual({ ...README, ...PUBLISHED });
    expect(github.branchesOf("team/skills")).toEqual(["main"]);
    expect(github.pulls).toMatchObject([{ label: `ada:${branch}`, title: "Add or update the skill rain" }]);
    expect(github.pulls[0]!.body).toMatch(/^Please take it\.\n\n`rain`: Reads rain tables\./);
  });

  it("needs no fork where the token may push", async () => {
    const { github, publish } = world();
    const { result, branch } = await publish("token-of-team");
    expect(result).toMatchObject({ ok: true, value: { head: "team/skills", opened: true } });
    expect(github.branchesOf("team/skills")).toEqual(["main", branch]);
    expect([...github.repos.keys()]).toEqual(["team/skills"]);
  });

  it("makes nothing twice, wherever an attempt before was killed", async () => {
    const whole = await world().publish("token-of-ada");
    expect(whole.sent).toBeGreaterThan(8);
    for (let dieAfter = 0; dieAfter < whole.sent; dieAfter++) {
      const { github, publish } = world();
      expect((await publish("token-of-ada", { dieAfter })).result).toMatchObject({
        failure: { code: "hub_unreachable" },
      });
      const { result, branch } = await publish("token-of-ada");
      expect([dieAfter, result]).toMatchObject([dieAfter, { ok: true, value: { pull: { number: 1 } } }]);
      expect([...github.repos.keys()]).toEqual(["team/skills", "ada/skills"]);
      expect(github.branchesOf("ada/skills")).toEqual(["main", branch]);
      expect(github.pulls).toHaveLength(1);
      expect(github.filesOf("ada/skills", branch)).toEqual({ ...README, ...PUBLISHED });
    }
  });

  it("repeated, writes nothing and answers with the pull request, also with one that was merged", async () => {
    const { github, publish } = world();
    await publish("token-of-ada");
    const { length } = github.writes;
    expect((await publish("token-of-ada")).result).toMatchObject({ value: { opened: false, pull: { state: "open" } } });
    github.merge(1);
    expect((await publish("token-of-ada")).result).toMatchObject({
      value: { opened: false, pull: { state: "merged" } },
    });
    expect(github.writes).toHaveLength(length);
  });

  it("two attempts at once end with one pull request", async () => {
    const { github, publish } = world();
    const both = await Promise.all([publish("token-of-ada"), publish("token-of-ada")]);
    expect(both.map(({ result }) => result)).toMatchObject([{ ok: true }, { ok: true }]);
    expect(github.pulls).toHaveLength(1);
  });

  it("replaces the folder: a file that the skill no longer has goes", async () => {
    const { github, publish } = world();
    github.addRepo("team/skills", { ...README, "skills/rain/old.md": "x", "skills/sun/SKILL.md": "y" });
    const { branch } = await publish("token-of-ada");
    expect(github.filesOf("ada/skills", branch)).toEqual({ ...README, ...PUBLISHED, "skills/sun/SKILL.md": "y" });
  });

  it("goes back to the folder that it came from", async () => {
    const { github, publish } = world();
    const { branch } = await publish("token-of-ada", { from: "Team/skills/tools/wet" });
    expect(Object.keys(github.filesOf("ada/skills", branch))).toContain("tools/wet/SKILL.md");
  });

  it("asks nothing of a repository that has exactly these files", async () => {
    const { github, publish } = world();
    const files = { "SKILL.md": SKILL_MD };
    github.addRepo("team/skills", { "skills/rain/SKILL.md": SKILL_MD });
    expect((await publish("token-of-ada", { files })).result).toMatchObject({ value: { pull: null, opened: false } });
    expect(github.branchesOf("ada/skills")).toEqual(["main"]);
  });

  it("uses a fork of another name, and waits for one that is being made", async () => {
    const { github, publish, sleeps } = world({ forkDelay: 3 });
    github.addRepo("ada/skills", { "mine.txt": "no fork" });
    expect((await publish("token-of-ada")).result).toMatchObject({ value: { head: "ada/skills-1", opened: true } });
    expect(github.branchesOf("ada/skills")).toEqual(["main"]);
    expect(sleeps).toEqual([1_000, 2_000, 3_000]);
  });

  it("says when a fork takes too long, and goes on later", async () => {
    const { publish } = world({ forkDelay: 8 });
    expect((await publish("token-of-ada")).result).toMatchObject({ failure: { code: "hub_fork_pending" } });
    expect((await publish("token-of-ada")).result).toMatchObject({ value: { opened: true } });
  });

  it.each<[string, Parameters<ReturnType<typeof world>["publish"]>[0], (at: ReturnType<typeof world>) => void, object]>(
    [
      ["a token that is not known", "other", () => undefined, { code: "hub_forbidden" }],
      ["no such repository", "token-of-ada", ({ github }) => github.repos.clear(), { code: "hub_not_found" }],
      [
        "an archived one",
        "token-of-ada",
        ({ github }) => github.addRepo("team/skills", README, { archived: true }),
        { code: "hub_forbidden" },
      ],
      ["an empty one", "token-of-team", ({ github }) => github.addRepo("team/skills", {}), { code: "hub_refused" }],
      [
        "a limit of requests",
        "token-of-ada",
        ({ github }) =>
          github.answers.set("GET /repos/team/skills", () =>
            Response.json(
              { message: "API rate limit exceeded" },
              { status: 403, headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1700000030" } },
            ),
          ),
        { code: "hub_rate_limited", facts: { retryAfterMs: 30_000 } },
      ],
      [
        "a form that nobody knows",
        "token-of-ada",
        ({ github }) =>
          github.answers.set("GET /repos/team/skills", () =>
            Response.json({ full_name: "../..", default_branch: "main", permissions: { push: true } }),
          ),
        { code: "hub_bad_reply" },
      ],
      [
        "a pull request that GitHub refuses",
        "token-of-ada",
        ({ github }) =>
          github.answers.set("POST /repos/team/skills/pulls", () =>
            Response.json({ message: "Validation\u001b[2J Failed", errors: ["not wanted"] }, { status: 422 }),
          ),
        { code: "hub_refused", message: "GitHub refuses the pull request: Validation [2J Failed not wanted." },
      ],
    ],
  )("is refused by %s", async (_, token, arrange, failure) => {
    const at = world();
    arrange(at);
    expect((await at.publish(token)).result).toMatchObject({ ok: false, failure });
  });
});

describe("what is published", () => {
  it("is refused with the places of what looks like a secret, also in the message and in bytes", () => {
    const files = {
      "SKILL.md": `${SKILL_MD}\nUse ${KEY}.\n`,
      "a.bin": new TextEncoder().encode(`\xff${KEY}`).slice(1),
      "ok.md": "No password here.\n",
    };
    const refused = prepareCopy({ name: "rain", files }, PLACE, `My key:\npassword = ${"x1".repeat(8)}`);
    expect(refused).toMatchObject({
      ok: false,
      failure: {
        code: "publish_secret",
        facts: {
          places: [
            { path: "SKILL.md", line: 8, kind: "GitHub token" },
            { path: "a.bin", line: 1, kind: "GitHub token" },
            { path: "the message", line: 2, kind: "secret" },
          ],
        },
      },
    });
    expect(JSON.stringify(refused)).not.toContain(KEY);
  });

  it("has a branch that its text alone decides", () => {
    const branchOf = (files: FileBodies) => {
      const copy = prepareCopy({ name: "rain", files }, PLACE);
      return copy.ok && copy.value.publication.branch;
    };
    const { "talaria-requests.md": _, ...others } = FILES;
    expect(branchOf(others)).toBe(branchOf(FILES));
    expect(branchOf({ ...FILES, "b.md": "b" })).not.toBe(branchOf(FILES));
    expect(branchOf(FILES)).toMatch(/^talaria\/rain-[0-9a-f]{8}$/);
  });
});
