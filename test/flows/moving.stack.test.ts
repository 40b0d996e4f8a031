// A whole profile leaves one deployment and arrives in others: built by real turns, exported by the terminal's own code, imported, used,
// and exported again. Archives that nobody trusted has signed, and hostile ones, are tried on the same stack.
import { open, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exportProfile } from "../../cli/moving/export-profile.ts";
import { importProfile } from "../../cli/moving/import-profile.ts";
import { type MovingClient, createMovingClient } from "../../cli/moving/moving-client.ts";
import { listTarEntries, readTarEntry } from "../../cli/moving/tar-file.ts";
import { ProblemError } from "../../cli/connection/http.ts";
import type { Entry } from "../../core/schemas/entry.ts";
import { sha256Hex } from "../../core/schemas/learning/digest.ts";
import { MovedLine, type MovedSection } from "../../core/schemas/moving/lines.ts";
import { Manifest, type SealedManifest } from "../../core/schemas/moving/manifest.ts";
import { openDeployment } from "../../wiring/deployment.ts";
import { type Product, startProduct } from "../support/product.ts";
import { createTempFolders } from "../support/temp-folders.ts";

const OPERATOR = "operator-token-for-tests";
const ELSEWHERE = "operator-token-of-another-deployment";
const LISTED = "operator-token-of-a-trusted-deployment";
const SECRET = "s3cret-of-an-mcp-server";
const folder = createTempFolders()();
const first = join(folder, "first.tar");

interface Owner {
  profile: string;
  key: string;
}

let product: Product;
let alice: Owner;
let session: string;
let sealed: SealedManifest;
let lines: MovedLine[];

const createOwner = () => product.request<Owner>("POST", "/v1/profiles", OPERATOR, {});
const clientOf = ({ key }: Owner) => createMovingClient({ url: product.url, key, patienceMs: 0 });
const ask = <T>(owner: Owner, method: string, path: string, body?: object) =>
  product.request<T>(method, path, owner.key, body);
const skill = (words: string) => ({
  files: { "SKILL.md": `---\nname: reading-logs\ndescription: Reads logs.\n---\n\n# ${words}\n` },
});

async function say({ key }: Owner, of: string, text: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", accept: "text/event-stream" };
  const answer = await product.fetch(`/v1/sessions/${of}/messages`, {
    method: "POST",
    headers,
    body: JSON.stringify({ text }),
  });
  return answer.text();
}

function file({ key }: Owner, path: string, body?: Uint8Array<ArrayBuffer>) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/octet-stream" };
  return product.fetch(`/v1/sessions/${session}/files/${path}`, body ? { method: "PUT", headers, body } : { headers });
}

async function readArchive(path: string): Promise<MovedLine[]> {
  const archive = await open(path, "r");
  const read: MovedLine[] = [];
  for (const entry of await listTarEntries(archive)) {
    if (!entry.name.endsWith(".jsonl")) continue;
    const text = new TextDecoder().decode(await readTarEntry(archive, entry));
    read.push(
      ...text
        .split("\n")
        .slice(0, -1)
        .map((line) => MovedLine.parse(JSON.parse(line))),
    );
  }
  await archive.close();
  return read;
}

const data = new Uint8Array(1_300_000).map((_, at) => (at * 7) % 253);

beforeAll(async () => {
  const moving = { trustedDeployments: [await idOf(LISTED)] };
  product = await startProduct({
    vars: { TALARIA_OPERATOR_TOKEN: OPERATOR, TALARIA_SETTINGS: JSON.stringify({ moving }) },
  });
  alice = await createOwner();
  ({ session } = await ask<{ session: string }>(alice, "POST", "/v1/sessions", {}));
  await say(alice, session, "Hello there");
  await file(alice, "data/rain.bin", data);
  await say(alice, session, "And again");
  await ask(alice, "PUT", "/v1/skills/reading-logs", skill("Logs"));
  await ask(alice, "PUT", "/v1/skills/reading-logs", skill("Logs, better"));
  await ask(alice, "POST", "/v1/memory", { store: "user", content: "The person lives in Bern." });
  await ask(alice, "PUT", "/v1/personalities/poet", { text: "Answer in rhymes." });
  const server = { url: "https://mcp.example/", headers: { authorization: SECRET }, enabled: false };
  await ask(alice, "PUT", "/v1/mcp/servers/tickets", server);
  await ask(alice, "POST", "/v1/hooks", { url: "https://receiver.example/", events: ["turn.ended"] });
  // Lets the session know its profile's settings, sealed values among them.
  await say(alice, session, "Once more");
  sealed = await exportProfile(clientOf(alice), first);
  lines = await readArchive(first);
}, 120_000);
afterAll(() => product?.close());

async function openWith(secret: string) {
  const deployment = await openDeployment({ TALARIA_OPERATOR_TOKEN: secret });
  if (!deployment.ok) throw new Error(deployment.failure.message);
  return deployment.value;
}

const idOf = async (secret: string) => (await openWith(secret)).id;

/** An archive of these lines, one part a section, signed with the secret of some deployment. */
async function forge(of: MovedLine[], { secret = OPERATOR, change = (manifest: Manifest): object => manifest } = {}) {
  const deployment = await openWith(secret);
  const texts = Object.entries(Object.groupBy(of, (line) => line.in)) as [MovedSection, MovedLine[]][];
  const bodies = texts.map(
    ([section, own]) => [section, own.map((line) => `${JSON.stringify(line)}\n`).join(""), own.length] as const,
  );
  const parts = bodies.map(([section, body, count]) => ({
    ...{ section, sha256: sha256Hex(body), bytes: Buffer.byteLength(body), lines: count },
  }));
  const manifest = { ...Manifest.parse(JSON.parse(sealed.manifest)), deployment: deployment.id, parts };
  const text = JSON.stringify(change(manifest));
  const signature = await deployment.sign(text);
  return { bodies, parts, sealed: { manifest: text, deployment: deployment.id, signature } };
}

async function bring(owner: Owner, { bodies, parts, sealed: own }: Awaited<ReturnType<typeof forge>>) {
  const client = clientOf(owner);
  await client.beginImport(own);
  for (const [at, [, body]] of bodies.entries()) {
    await client.putPart(parts[at]!.sha256, new TextEncoder().encode(body) as Uint8Array<ArrayBuffer>);
  }
  const skipped: string[] = [];
  for (let step = await client.commit(undefined); ; step = await client.commit(step.next)) {
    skipped.push(...step.skipped);
    if (!step.next) return { skipped, report: step.report };
  }
}

/** Carries out this many requests, and loses the answer of the last one. */
function killAfter(client: MovingClient, requests: number): MovingClient {
  let left = requests;
  return new Proxy(client, {
    get: (target, name) => {
      const call = Reflect.get(target, name) as (...asked: unknown[]) => Promise<unknown>;
      return async (...asked: unknown[]) => {
        const answer = await call(...asked);
        if (--left === 0) throw new Error("killed");
        return answer;
      };
    },
  });
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "accepted",
    (error: unknown) => (error instanceof ProblemError ? error.problem.code : String(error)),
  );

it("an export has every section, and neither keys nor secrets", () => {
  const sections = Object.keys(Object.groupBy(lines, (line) => line.in));
  expect(sections).toEqual(["session", "object", "memory", "archive", "account"]);
  const text = lines.map((line) => JSON.stringify(line)).join("\n");
  const [, secretOfKey] = /^tal_[^_]+_(.+)$/.exec(alice.key)!;
  for (const secret of [SECRET, secretOfKey!, sha256Hex(secretOfKey!), "v1."]) expect(text).not.toContain(secret);
  expect(text).toContain("mcp.example");
});

it("a profile of another owner gets the same lines, byte for byte, and its session goes on with its files", async () => {
  const bob = await createOwner();
  // Each attempt is killed after one request more, whose answer it never reads.
  let attempts = 0;
  const imported = await (async () => {
    for (;;) {
      const client = killAfter(clientOf(bob), ++attempts);
      const done = await importProfile(client, first).catch((error: Error) => error.message);
      if (typeof done !== "string") return done;
      expect(done).toBe("killed");
    }
  })();
  expect(attempts).toBeGreaterThan(7);
  expect(imported).toEqual({ trusted: true, skipped: [], report: { sessions: 1, skills: 1, facts: 1 } });
  const second = join(folder, "second.tar");
  await exportProfile(clientOf(bob), second);
  const texts = (of: MovedLine[]) => of.map((line) => JSON.stringify(line)).toSorted();
  expect(texts(await readArchive(second)).map((line) => line.replaceAll(bob.profile, alice.profile))).toEqual(
    texts(lines),
  );

  expect(new Uint8Array(await (await file(bob, "data/rain.bin")).arrayBuffer())).toEqual(data);
  expect(await say(bob, session, "What is next?")).toContain('"type":"turn_end","turn":4');
  const found = await ask<{ results: unknown[] }>(bob, "GET", "/v1/search?q=hello");
  expect(JSON.stringify(found)).toContain("Hello there");
  expect(await ask(bob, "GET", "/v1/hooks")).toMatchObject({ hooks: [{ disabledAt: expect.any(Number) }] });
  expect(await ask(bob, "GET", "/v1/mcp/servers")).toMatchObject({ servers: [{ server: "tickets", enabled: false }] });

  // The same archive again is the same import; another profile's is refused.
  expect(await importProfile(clientOf(bob), first)).toMatchObject({ report: { sessions: 1 } });
  expect(await codeOf(importProfile(clientOf(alice), first))).toBe("profile_not_empty");
});

it("an archive that no trusted deployment has signed arrives as a person's import does", async () => {
  const carol = await createOwner();
  const { report, skipped } = await bring(carol, await forge(lines, { secret: ELSEWHERE }));
  expect({ report, skipped }).toEqual({ report: { sessions: 1, skills: 1, facts: 1 }, skipped: [] });
  const { entries } = await ask<{ entries: Entry[] }>(carol, "GET", `/v1/sessions/${session}/entries`);
  expect(entries.length).toBeGreaterThan(5);
  expect([...new Set(entries.flatMap(({ parts }) => parts.map(({ source }) => source)))]).toEqual(["content"]);
  expect(await ask(carol, "GET", "/v1/skills/reading-logs")).toMatchObject({ head: { rev: 1, state: "trial" } });
  const { entries: facts } = await ask<{ entries: object[] }>(carol, "GET", "/v1/memory");
  expect(facts).toMatchObject([{ origin: "foreground", source: "content" }]);
  expect(JSON.stringify(await ask(carol, "GET", "/v1/personalities"))).not.toContain("Answer in rhymes.");
  expect(await ask(carol, "GET", "/v1/usage")).toMatchObject({ totals: { calls: 0 } });
  expect(await say(carol, session, "Go on")).toContain("turn_end");
});

describe("an archive of a deployment that the operator lists", () => {
  it("arrives as it was: the labels of its words, revisions, settings and usage", async () => {
    const erin = await createOwner();
    const { report, skipped } = await bring(erin, await forge(lines, { secret: LISTED }));
    expect({ report, skipped }).toEqual({ report: { sessions: 1, skills: 1, facts: 1 }, skipped: [] });
    const { entries } = await ask<{ entries: Entry[] }>(erin, "GET", `/v1/sessions/${session}/entries`);
    expect(entries[0]!.parts[0]).toEqual({ source: "principal", text: "Hello there" });
    expect(await ask(erin, "GET", "/v1/skills/reading-logs")).toMatchObject({ head: { rev: 2 } });
    expect(JSON.stringify(await ask(erin, "GET", "/v1/personalities"))).toContain("Answer in rhymes.");
    expect(await ask(erin, "GET", "/v1/usage")).toMatchObject({ totals: { calls: expect.toSatisfy((n) => n > 0) } });
  });

  it("is believed by its signature alone: its id on another's archive is refused", async () => {
    const frank = await createOwner();
    const listed = await idOf(LISTED);
    const stranger = await forge(lines, { secret: ELSEWHERE });
    const named = { ...stranger, sealed: { ...stranger.sealed, deployment: listed } };
    expect(await codeOf(bring(frank, named))).toBe("archive_forged");
    const inside = await forge(lines, { secret: ELSEWHERE, change: (one) => ({ ...one, deployment: listed }) });
    expect(await codeOf(bring(frank, inside))).toBe("archive_invalid");
    const own = await forge(lines, { secret: LISTED });
    const borrowed = {
      ...stranger,
      sealed: { ...stranger.sealed, deployment: listed, signature: own.sealed.signature },
    };
    expect(await codeOf(bring(frank, borrowed))).toBe("archive_forged");
    // The 43rd letter has two bits that no byte needs: another spelling of the same key is not the id in the list.
    const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const respelled = `${listed.slice(0, -1)}${letters[letters.indexOf(listed.at(-1)!) + 1]}`;
    const twin = await forge(lines, { secret: LISTED, change: (one) => ({ ...one, deployment: respelled }) });
    const spelled = { ...twin.sealed, deployment: respelled };
    expect(
      await clientOf(frank)
        .beginImport(spelled)
        .then(
          ({ trusted }) => trusted,
          () => false,
        ),
    ).toBe(false);
    await clientOf(frank)
      .discard()
      .catch(() => {}); // it was refused
    expect(await ask(frank, "GET", "/v1/sessions")).toEqual({ sessions: [] });
  });

  it("brings neither keys nor another profile's records", async () => {
    const grace = await createOwner();
    const key = { in: "account" as const, table: "keys", row: { id: "k", hash: "h" } };
    expect(await codeOf(bring(grace, await forge([...lines, key], { secret: LISTED })))).toBe("archive_invalid");
    const job = JSON.stringify({ v: 1, profile: "0".repeat(26) });
    const foreign = { in: "object" as const, key: `reviews/${session}.1-2/job`, body: job };
    expect(await codeOf(bring(grace, await forge([...lines, foreign], { secret: LISTED })))).toBe("archive_foreign");
    expect(await codeOf(clientOf(grace).discard())).toBe("import_not_found");
  });
});

describe("a hostile archive is refused and leaves nothing", () => {
  const object = (key: string, body: string) => ({ in: "object" as const, key, body });
  const of = (section: MovedSection, change: (line: MovedLine) => object): MovedLine[] =>
    lines.map((line) => (line.in === section ? (change(line) as MovedLine) : line));
  const cases: Record<string, [code: string, () => ReturnType<typeof forge>]> = {
    "a path out of the profile": ["archive_invalid", () => forge([...lines, object("../other/heads/a", "{}")])],
    "a key that does not travel": ["archive_invalid", () => forge([...lines, object("GONE", "")])],
    "contents with another hash": ["archive_invalid", () => forge([...lines, object(`blobs/${"0".repeat(64)}`, "x")])],
    "a record of another profile": [
      "archive_foreign",
      () => forge([...lines, object(`reviews/${session}.1-2/job`, JSON.stringify({ v: 1, profile: "0".repeat(26) }))]),
    ],
    "a table that does not travel": [
      "archive_invalid",
      () => forge(of("account", () => ({ in: "account", table: "keys", row: { id: "k", hash: "h" } }))),
    ],
    "an entry that does not parse": [
      "archive_invalid",
      () =>
        forge(
          of("session", (line) =>
            "table" in line && line.table === "entry" ? { ...line, row: { n: 1, turn: 1, body: "{}" } } : line,
          ),
        ),
    ],
    "a manifest of another version": [
      "archive_version",
      () => forge(lines, { change: (manifest) => ({ ...manifest, v: 2 }) }),
    ],
    "a part that is too large": [
      "archive_invalid",
      () => forge(lines, { change: (one) => ({ ...one, parts: one.parts.map((part) => ({ ...part, bytes: 1e10 })) }) }),
    ],
    "a manifest that was changed after it was signed": [
      "archive_forged",
      async () => {
        const forged = await forge(lines);
        return {
          ...forged,
          sealed: { ...forged.sealed, manifest: forged.sealed.manifest.replace('"at":1', '"at":2') },
        };
      },
    ],
    "a part with fewer lines than the manifest says": [
      "archive_invalid",
      () =>
        forge(lines, {
          change: (one) => ({ ...one, parts: one.parts.map((part) => ({ ...part, lines: part.lines + 1 })) }),
        }),
    ],
  };
  let dave: Owner;
  beforeAll(async () => void (dave = await createOwner()));

  it.each(Object.keys(cases))("%s", async (name) => {
    const [code, make] = cases[name]!;
    expect(await codeOf(bring(dave, await make()))).toBe(code);
    expect(await codeOf(clientOf(dave).discard())).toBe("import_not_found");
    expect(await ask(dave, "GET", "/v1/sessions")).toEqual({ sessions: [] });
  });

  it("a damaged file: nothing is uploaded that its hash does not name", async () => {
    const broken = join(folder, "broken.tar");
    const archive = await open(first, "r");
    const [entry] = await listTarEntries(archive);
    const bytes = new Uint8Array(await archive.readFile());
    await archive.close();
    bytes[entry!.at + 20]! ^= 1;
    await writeFile(broken, bytes);
    await expect(importProfile(clientOf(dave), broken)).rejects.toThrow("missing or damaged");
    expect(await codeOf(clientOf(dave).discard())).toBe("import_not_found");
  });

  it("a part of another hash, and a commit before all parts are there", async () => {
    const { sealed: own, parts } = await forge(lines);
    const client = clientOf(dave);
    await client.beginImport(own);
    expect(await codeOf(client.putPart(parts[0]!.sha256, new Uint8Array(3)))).toBe("part_damaged");
    expect(await codeOf(client.putPart("f".repeat(64), new Uint8Array(3)))).toBe("part_unknown");
    expect(await codeOf(client.commit(undefined))).toBe("import_incomplete");
    await client.discard();
  });

  it("receipts of another order, or with one left out, are not sealed", async () => {
    const client = clientOf(alice);
    const { export: id } = await client.beginExport();
    const receipts: string[] = [];
    for (let next: string | null = ""; next !== null;) {
      const part = await client.readPart(id, next);
      receipts.push(part.receipt);
      next = part.next === "" ? null : part.next;
    }
    expect(await codeOf(client.seal(id, receipts))).toBe("accepted");
    expect(await codeOf(client.seal(id, receipts.toSpliced(1, 1)))).toBe("export_incomplete");
    expect(await codeOf(client.seal(id, receipts.slice(0, -1)))).toBe("export_incomplete");
    expect(await codeOf(client.seal(id, [`${receipts[0]!.slice(0, -6)}AAAAAA`, ...receipts.slice(1)]))).toBe(
      "export_incomplete",
    );
    expect(await codeOf(clientOf(dave).seal(id, receipts))).toBe("export_incomplete");
    expect(existsSync(`${first}.partial`)).toBe(false);
  });
});
