// The archive of a profile that the page packs: the terminal reads it, and the page reads the terminal's.
import { mkdtempSync, writeFileSync } from "node:fs";
import { open, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { endTar, listTarEntries, writeTarEntry } from "../../cli/moving/tar-file.ts";
import { openArchive, packArchive } from "../../dashboard/health/move-profile.ts";

const SEALED = { manifest: "{}", deployment: "d", signature: "s" };

async function inFile<T>(content: Uint8Array, work: (path: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "talaria-archive-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, "a.tar");
  writeFileSync(path, content);
  return work(path);
}

const bytesOf = async (blob: Blob) => new Uint8Array(await blob.arrayBuffer());

describe("an archive of a profile", () => {
  it("that the page packs is one that the terminal reads", async () => {
    const archive = packArchive([{ name: "parts/a.jsonl", body: new Blob(["x".repeat(600)]) }], SEALED);
    const listed = await inFile(await bytesOf(archive), async (path) => {
      const file = await open(path);
      const entries = await listTarEntries(file);
      await file.close();
      return entries.map(({ name, bytes }) => [name, bytes]);
    });
    expect(listed).toEqual([
      ["parts/a.jsonl", 600],
      ["manifest.json", JSON.stringify(SEALED).length],
    ]);
  });

  it("that the terminal packs is one that the page reads", async () => {
    const packed = await inFile(new Uint8Array(), async (path) => {
      const file = await open(path, "r+");
      await endTar(file, await writeTarEntry(file, 0, "parts/b.jsonl", new TextEncoder().encode("line\n")));
      await file.close();
      return readFile(path);
    });
    const entries = await openArchive(new Blob([new Uint8Array(packed)]));
    expect([...entries.keys()]).toEqual(["parts/b.jsonl"]);
    expect(await entries.get("parts/b.jsonl")!.text()).toBe("line\n");
  });

  it("that is cut off or no tar is refused with what to do", async () => {
    const whole = packArchive([], SEALED);
    await expect(openArchive(whole.slice(0, 600))).rejects.toThrow("cut off");
    await expect(openArchive(whole.slice(0, 1_024))).rejects.toThrow("no end");
    await expect(openArchive(new Blob(["x".repeat(2_000)]))).rejects.toThrow("not a tar");
  });
});
