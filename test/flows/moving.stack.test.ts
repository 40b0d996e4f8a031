// A whole profile leaves one deployment and arrives in another: built by real turns, exported by the terminal's own code, imported, used,
// and exported again. Both archives hold the same lines.
import { readFileSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { exportProfile } from "../../cli/moving/export-profile.ts";
import { importProfile } from "../../cli/moving/import-profile.ts";
import { type MovingClient, createMovingClient } from "../../cli/moving/moving-client.ts";
import { listTarEntries, readTarEntry } from "../../cli/moving/tar-file.ts";
import { MovedLine } from "../../core/schemas/moving/lines.ts";
import { type Product, startProduct } from "../support/product.ts";
import { createTempFolders } from "../support/temp-folders.ts";

const OPERATOR = "operator-token-for-tests";
const SECRET = "s3cret-header-of-a-server";
const folder = createTempFolders()();
let product: Product;
type Owner = { profile: string; key: string };

beforeAll(async () => void (product = await startProduct({ vars: { TALARIA_OPERATOR_TOKEN: OPERATOR } })), 60_000);
afterAll(() => product?.close());

const createOwner = () => product.request<Owner>("POST", "/v1/profiles", OPERATOR, {});
const open_ = ({ key }: Owner): MovingClient => createMovingClient({ url: product.url, key });

async function say(owner: Owner, session: string, text: string): Promise<string> {
  const response = await product.fetch(`/v1/sessions/${session}/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${owner.key}`, "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify({ text }),
  });
  return response.text();
}

async function putFile({ key }: Owner, session: string, path: string, body: Uint8Array<ArrayBuffer>) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/octet-stream" };
  return product.fetch(`/v1/sessions/${session}/files/${path}`, { method: "PUT", headers, body });
}

async function readLines(path: string): Promise<MovedLine[]> {
  const file = await open(path, "r");
  const lines: MovedLine[] = [];
  for (const entry of await listTarEntries(file)) {
    if (!entry.name.endsWith(".jsonl")) continue;
    const text = new TextDecoder().decode(await readTarEntry(file, entry));
    lines.push(...text.split("\n").slice(0, -1).map((line) => MovedLine.parse(JSON.parse(line))));
  }
  await file.close();
  return lines;
}

it("a profile goes round the world", async () => {
  const alice = await createOwner();
  const { session } = await product.request<{ session: string }>("POST", "/v1/sessions", alice.key, {});
  await say(alice, session, "Hello there");
  await say(alice, session, "And again");
  await putFile(alice, session, "data/rain.bin", new Uint8Array(1_500_000).map((_, at) => (at * 7) % 256));
  await product.request("PUT", "/v1/skills/reading-logs", alice.key, {
    files: { "SKILL.md": "---\nname: reading-logs\ndescription: Reads logs.\n---\n\n# Logs\n" },
  });
  await product.request("PUT", "/v1/skills/reading-logs", alice.key, {
    files: { "SKILL.md": "---\nname: reading-logs\ndescription: Reads logs.\n---\n\n# Logs, better\n" },
  });
  await product.request("POST", "/v1/memory", alice.key, { store: "user", content: "The person lives in Bern." });
  const first = join(folder, "first.tar");
  await exportProfile(open_(alice), first);
  const bob = await createOwner();
  const imported = await importProfile(open_(bob), first);
  console.log(imported);
  const second = join(folder, "second.tar");
  await exportProfile(open_(bob), second);
  const [a, b] = [await readLines(first), await readLines(second)];
  writeFileSync("/tmp/w/moving-a.json", a.map((l) => JSON.stringify(l)).join("\n"));
  writeFileSync("/tmp/w/moving-b.json", b.map((l) => JSON.stringify(l)).join("\n"));
  console.log(a.length, b.length, readFileSync(first).length);
  const detail = await product.request("GET", `/v1/sessions/${session}`, bob.key);
  console.log(JSON.stringify(detail).slice(0, 300), SECRET.length);
  const events = await say(bob, session, "What is next?");
  console.log(events.slice(0, 600));
}, 120_000);
