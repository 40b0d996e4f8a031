// npm's `skills` CLI installs an owner's published skills from a running Talaria, through both forms of the index. The installed
// files equal the imported ones byte for byte.
import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type FileBodies, toBytes } from "../../core/schemas/file-body.ts";
import { pack } from "../../core/skills/exchange/archive.ts";
import { type Product, startProduct } from "../support/product.ts";
import { createTempFolders } from "../support/temp-folders.ts";

const OPERATOR = "operator-token-for-tests";
const root = join(import.meta.dirname, "../..");
let product: Product;
const tempFolder = createTempFolders();
let url = "";
let owner = { profile: "", key: "" };

const SKILLS: Record<string, FileBodies> = {
  "reading-logs": { "SKILL.md": "---\nname: reading-logs\ndescription: Reads logs.\n---\n\n# Logs\n" },
  "sorting-mail": {
    "SKILL.md":
      "---\r\nname: sorting-mail\r\ndescription: Sorts mail.\r\nmetadata:\r\n  tags: [a]\r\n---\r\n\r\n# Mail\r\n",
    "scripts/run.sh": "#!/bin/sh\nls\n",
    "assets/é 日.bin": Uint8Array.of(0, 255, 13, 10, 26),
  },
};

beforeAll(async () => {
  product = await startProduct({ vars: { TALARIA_OPERATOR_TOKEN: OPERATOR } });
  ({ url } = product);
  owner = (await (await post("/v1/profiles", {}, OPERATOR)).json()) as typeof owner;
  for (const [name, files] of Object.entries(SKILLS)) {
    await post("/v1/skills/import", pack("zip", files, name));
    await post(`/v1/skills/${name}/publish`, { public: true });
  }
  const hidden = "---\nname: hidden\ndescription: Not for others.\n---\n\nBody\n";
  await post("/v1/skills/import", { files: { "SKILL.md": hidden } });
});
afterAll(() => product?.close());

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

/** Installs into a new project and returns the installed files by path. */
async function install(source: string): Promise<Record<string, Buffer>> {
  const project = tempFolder();
  const args = ["add", source, "--skill", "*", "--agent", "claude-code", "--yes", "--copy"];
  const env = {
    PATH: process.env.PATH,
    HOME: project,
    DISABLE_TELEMETRY: "1",
    DO_NOT_TRACK: "1",
    NO_COLOR: "1",
    CI: "1",
  };
  await promisify(execFile)(process.execPath, [join(root, "node_modules/skills/bin/cli.mjs"), ...args], {
    cwd: project,
    env,
    timeout: 60_000,
  });
  const into = join(project, ".claude", "skills");
  const files = readdirSync(into, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map((file) => {
      const path = join(file.parentPath, file.name);
      return [path.slice(into.length + 1), readFileSync(path)];
    }),
  );
}

const EXPECTED = Object.fromEntries(
  Object.entries(SKILLS).flatMap(([name, files]) =>
    Object.entries(files).map(([path, body]) => [`${name}/${path}`, Buffer.from(toBytes(body))]),
  ),
);

it("the `skills` CLI installs all public skills and nothing else", async () => {
  expect(await install(`${url}/p/${owner.profile}`)).toEqual(EXPECTED);
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
    expect(await install(`http://127.0.0.1:${port}`)).toEqual(EXPECTED);
  } finally {
    old.close();
  }
});
