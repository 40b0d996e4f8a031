// The file of an export, over a client that fails, is killed, or finds a session in use: whatever was cut off, the archive is the same.
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { exportProfile } from "../../../cli/moving/export-profile.ts";
import type { ExportedPart, MovingClient } from "../../../cli/moving/moving-client.ts";
import { listTarEntries } from "../../../cli/moving/tar-file.ts";
import { TarError } from "../../../cli/moving/tar-header.ts";
import { ProblemError } from "../../../cli/connection/http.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "talaria-moving-"));
  path = join(folder, "profile.tar");
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

/** The second part leaves a session open, which continues in the third. */
const PLACES = [
  "",
  ...[1, 2, 3, 4, 5].map((n) =>
    Buffer.from(JSON.stringify({ n, open: n === 2 || n === 3 ? {} : null })).toString("base64url"),
  ),
];

function createDouble({ failAt = -1, error = new Error("killed") as Error } = {}) {
  const asked: string[] = [];
  const client = {
    beginExport: async () => ({ export: "exp_1", deployment: "d" }),
    async readPart(_: string, from: string): Promise<ExportedPart> {
      asked.push(from);
      if (asked.length === failAt) throw error;
      const at = PLACES.indexOf(from);
      const body = new TextEncoder().encode(at === 4 ? "" : `part ${at}\n`.repeat(300)) as Uint8Array<ArrayBuffer>;
      return { body, receipt: `receipt ${at}`, next: PLACES[at + 1] ?? "" };
    },
    seal: async (_: string, receipts: string[]) => ({
      manifest: JSON.stringify(receipts),
      deployment: "d",
      signature: "",
    }),
  };
  return { client: client as unknown as MovingClient, asked };
}

async function exportWhole(): Promise<Buffer> {
  const other = join(folder, "other.tar");
  await exportProfile(createDouble().client, other);
  const bytes = readFileSync(other);
  rmSync(other);
  return bytes;
}

describe("an export that was killed", () => {
  it.each([1, 2, 3, 4, 5, 6])("at part %i goes on there, and the file is the same", async (failAt) => {
    const whole = await exportWhole();
    await expect(exportProfile(createDouble({ failAt }).client, path)).rejects.toThrow("killed");
    expect(existsSync(path)).toBe(false);
    const { client, asked } = createDouble();
    await exportProfile(client, path);
    expect(asked).toEqual(PLACES.slice(failAt - 1));
    expect(readFileSync(path)).toEqual(whole);
    expect(existsSync(`${path}.partial.log`)).toBe(false);
  });

  it("in the middle of a write: a torn part and a torn line of the log are written again", async () => {
    const whole = await exportWhole();
    await expect(exportProfile(createDouble({ failAt: 4 }).client, path)).rejects.toThrow("killed");
    appendFileSync(`${path}.partial`, Buffer.alloc(700, 7));
    truncateSync(`${path}.partial.log`, readFileSync(`${path}.partial.log`).length - 5);
    const { client, asked } = createDouble();
    await exportProfile(client, path);
    expect(asked).toEqual(PLACES.slice(2));
    expect(readFileSync(path)).toEqual(whole);
  });

  it("before the file was there begins again", async () => {
    const whole = await exportWhole();
    writeFileSync(`${path}.partial.log`, '{"export":"exp_1","deployment":"d"}\n');
    await exportProfile(createDouble().client, path);
    expect(readFileSync(path)).toEqual(whole);
  });
});

it("a session that is used while it is read is read again from its beginning", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const whole = await exportWhole();
  const problem = { type: "", title: "", status: 409, code: "session_changing", detail: "Used." };
  const { client, asked } = createDouble({ failAt: 4, error: new ProblemError(problem) });
  const exported = exportProfile(client, path);
  while (asked.length < 4) await new Promise((resolve) => setImmediate(resolve));
  await vi.waitFor(async () => {
    await vi.advanceTimersByTimeAsync(3_000);
    expect(asked.length).toBeGreaterThan(4);
  });
  await exported;
  expect(asked).toEqual([...PLACES.slice(0, 4), ...PLACES.slice(1)]);
  expect(readFileSync(path)).toEqual(whole);
});

describe("a file that is not an archive", () => {
  it.each([
    ["empty", Buffer.alloc(0)],
    ["no tar", Buffer.alloc(2_000, 65)],
    ["cut off", null],
  ])("%s is refused with a sentence", async (_, bytes) => {
    writeFileSync(path, bytes ?? (await exportWhole()).subarray(0, 3_000));
    const file = await open(path, "r");
    await expect(listTarEntries(file)).rejects.toThrow(TarError);
    await file.close();
  });
});
