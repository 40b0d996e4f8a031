// npm's `skills` CLI installs an owner's published skills from a running Talaria, through both forms of the index. The installed
// files equal the imported ones byte for byte. And the owner proposes one to a repository, as a pull request.
import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { PublishedPull } from "../../core/schemas/hub/taps.ts";
import { PUBLISHED_SKILLS, listPublishedFiles } from "../../scripts/conformance/sample-skill.ts";
import { readFiles, runSkills } from "../../scripts/conformance/skills-program.ts";
import { type GithubServer, startGithubReplica } from "../support/hub/github-write.ts";
import { pack } from "../../core/skills/exchange/archive.ts";
import { type Product, startProduct } from "../support/product.ts";
import { createTempFolders } from "../support/temp-folders.ts";

const OPERATOR = "operator-token-for-tests";
const TOKEN = "ghp_0123456789abcdefghij";
let product: Product;
let github: GithubServer;
const tempFolder = createTempFolders();
let url = "";
let owner = { profile: "", key: "" };

beforeAll(async () => {
  github = await startGithubReplica({ tokens: { [TOKEN]: "ada" } });
  github.replica.addRepo("team/skills", { "README.md": "Skills.\n" });
  const TALARIA_SETTINGS = JSON.stringify({ hub: { github: { apiBase: github.url } } });
  product = await startProduct({ vars: { TALARIA_OPERATOR_TOKEN: OPERATOR, TALARIA_SETTINGS } });
  ({ url } = product);
  owner = (await (await post("/v1/profiles", {}, OPERATOR)).json()) as typeof owner;
  for (const [name, files] of Object.entries(PUBLISHED_SKILLS)) {
    await post("/v1/skills/import", pack("zip", files, name));
    await post(`/v1/skills/${name}/publish`, { public: true });
  }
  const hidden = "---\nname: hidden\ndescription: Not for others.\n---\n\nBody\n";
  await post("/v1/skills/import", { files: { "SKILL.md": hidden } });
});
afterAll(async () => {
  await product?.close();
  await github?.close();
});

async function post(path: string, body: object, key = owner.key): Promise<Response> {
  const isArchive = body instanceof Uint8Array;
  const response = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": isArchive ? "application/zip" : "application/json" },
    body: isArchive ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body),
  });
  expect([path, response.ok]).toEqual([path, true]);
  return response;
}

/** Installs into a new project and returns the installed files in Base64, by path. */
async function install(source: string): Promise<Record<string, string>> {
  const project = tempFolder();
  await runSkills({ project }, ["add", source, "--skill", "*", "--agent", "claude-code", "--yes", "--copy"]);
  return readFiles(join(project, ".claude/skills"));
}

it("the `skills` CLI installs all public skills and nothing else", async () => {
  expect(await install(`${url}/p/${owner.profile}`)).toEqual(listPublishedFiles());
});

it("the `skills` CLI installs the same from a host that has only the older index", async () => {
  const old = createServer((request, response) => {
    const place = `/p/${owner.profile}/.well-known/skills/`;
    if (!request.url?.startsWith("/.well-known/skills/")) return response.writeHead(404).end();
    const path = request.url.replace("/.well-known/skills/", place);
    return fetch(`${url}${path}`).then(
      async (answer) => response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer())),
      () => response.writeHead(502).end(),
    );
  });
  await new Promise<void>((resolve) => old.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = old.address() as { port: number };
    expect(await install(`http://127.0.0.1:${port}`)).toEqual(listPublishedFiles());
  } finally {
    old.close();
  }
});

it("a skill is proposed to a repository with the owner's own token, once, and the audit log names it", async () => {
  await product.request("PUT", "/v1/hub/taps/team", owner.key, { source: "team/skills" });
  const put = { method: "PUT", headers: { authorization: `Bearer ${owner.key}`, "content-type": "application/json" } };
  await fetch(`${url}/v1/hub/github-token`, { ...put, body: JSON.stringify({ token: TOKEN }) });
  const publish = () =>
    product.request<PublishedPull>("POST", "/v1/hub/publish", owner.key, { skill: "sorting-mail", tap: "team" });
  const first = await publish();
  expect(first).toMatchObject({
    ...{ skill: "sorting-mail", tap: "team", repository: "team/skills", folder: "skills/sorting-mail" },
    ...{ head: "ada/skills", pull: { number: 1, state: "open" }, opened: true },
  });
  expect(await publish()).toEqual({ ...first, opened: false });
  const files = github.replica.filesOf("ada/skills", first.branch);
  expect(Object.keys(files)).toEqual([
    "README.md",
    ...["SKILL.md", "assets/é 日.bin", "scripts/run.sh"].map((path) => `skills/sorting-mail/${path}`),
  ]);
  expect(files["skills/sorting-mail/assets/é 日.bin"]).toBe("\x00\xff\r\n\x1a");
  const { entries } = await product.request<{ entries: { act: string; target: string }[] }>(
    "GET",
    "/v1/audit",
    owner.key,
  );
  expect(entries.map(({ act, target }) => [act, target])).toContainEqual(["skill_publish_pull", "sorting-mail"]);
  expect(JSON.stringify(entries)).not.toContain(TOKEN);
});
