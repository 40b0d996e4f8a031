// Archives from outside: which are read, and a clear refusal for each way in which one is inconsistent, too large or unsafe.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { deflateSync, gzipSync, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { archiveKindOf, pack, unpack } from "../../../core/skills/exchange/archive.ts";
import { crc32 } from "../../../core/zip/crc32.ts";
import { readArchive } from "../../../core/skills/exchange/import.ts";
import { gunzip, inflate } from "../../../core/zip/inflate.ts";
import { IMPORT } from "../../../core/skills/exchange/import-limits.ts";
import { writeTar } from "../../../core/skills/exchange/tar.ts";
import { type HandMadeEntry, handMadeZip as zipOf } from "../../support/skills/hand-made-zip.ts";
import { createTempFolders } from "../../support/temp-folders.ts";
import { runs } from "../../support/thorough.ts";

const tempFolder = createTempFolders();
const SKILL = "---\nname: reading-logs\ndescription: Reads logs.\n---\n\n# Body\n";
const own: HandMadeEntry = { name: "SKILL.md", body: SKILL };
const bytesOf = (text: string) => new TextEncoder().encode(text);

/** The archive's files, with their contents as text. */
function contents(archive: Uint8Array): Record<string, string> {
  const unpacked = unpack(archive);
  if (!unpacked.ok) throw new Error(unpacked.failure.message);
  return Object.fromEntries(unpacked.value.map(([path, bytes]) => [path, new TextDecoder().decode(bytes)]));
}

/** The reason of a `bad_archive`; of other refusals the code, and the reason after it. */
function refusal(archive: Uint8Array): string {
  const read = readArchive(archive);
  if (read.ok) return "taken";
  expect(read.failure.message).toMatch(/^.{20,400}\.$/s);
  const { code, facts } = read.failure;
  const reason = facts?.reason as string | undefined;
  if (code === "bad_archive") return reason ?? code;
  return reason === undefined ? code : `${code} ${reason}`;
}

describe("a zip", () => {
  it("is read with stored or compressed files, folders, a comment, and sizes after the data", () => {
    const zip = zipOf(
      [
        { name: "a/" },
        { ...own, name: "a/SKILL.md", deflate: true },
        { name: "a/scripts/x.sh", body: "ls", descriptor: true },
      ],
      { comment: "made by hand" },
    );
    expect(contents(zip)).toEqual({ "a/SKILL.md": SKILL, "a/scripts/x.sh": "ls" });
  });

  it("is read in its long form (zip64)", () => {
    expect(contents(zipOf([{ ...own, zip64: true }], { zip64: true }))).toEqual({ "SKILL.md": SKILL });
  });

  it("may have names in UTF-8 with and without the flag, in code page 437, or in Info-ZIP's extra field", () => {
    const plain = Uint8Array.of(0x81, 0x2e, 0x74, 0x78, 0x74);
    const better = bytesOf("日.txt");
    const stamp = new Uint8Array(4);
    new DataView(stamp.buffer).setUint32(0, crc32(plain), true);
    const field = [0x75, 0x70, 5 + better.length, 0, 1, ...stamp, ...better];
    const names: [HandMadeEntry, string][] = [
      [{ name: "äö.txt", flags: 0x800 }, "äö.txt"],
      [{ name: "äö.txt" }, "äö.txt"],
      [{ name: plain }, "ü.txt"],
      [{ name: plain, extra: Uint8Array.from(field) }, "日.txt"],
      // The extra field of another name is stale.
      [{ name: Uint8Array.of(0x82), extra: Uint8Array.from(field) }, "é"],
    ];
    for (const [entry, name] of names) expect(Object.keys(contents(zipOf([own, entry])))).toEqual(["SKILL.md", name]);
  });

  it("holds other zips as plain files", () => {
    const inner = zipOf([own]);
    const read = readArchive(zipOf([own, { name: "assets/inner.zip", body: inner }]));
    expect(read).toMatchObject({ ok: true, value: { files: { "assets/inner.zip": inner } } });
  });

  const zeros = (bytes: number) => new Uint8Array(bytes);
  it.each<[string, () => Uint8Array, string]>([
    ["that is not a zip", () => bytesOf("PK is how it begins"), "not_an_archive"],
    ["that is empty", () => new Uint8Array(), "not_an_archive"],
    ["that is cut off", () => zipOf([own]).subarray(0, 60), "not_an_archive"],
    ["with bytes after it", () => Uint8Array.of(...zipOf([own]), 1), "not_an_archive"],
    ["with bytes before it", () => zipOf([own], { before: bytesOf("PK#!"), directoryOffset: 83 }), "inconsistent"],
    ["with bytes before it that its offsets count", () => zipOf([own], { before: bytesOf("PK#!") }), "inconsistent"],
    ["of several parts", () => zipOf([own], { disk: 1 }), "split"],
    ["that promises more files than it has", () => zipOf([own], { entries: 2 }), "inconsistent"],
    ["that promises fewer files than it has", () => zipOf([own, own], { entries: 1 }), "inconsistent"],
    ["with 10,000 files", () => zipOf(Array.from({ length: 10_000 }, (_, n) => ({ name: `f${n}` }))), "too_many_files"],
    [
      "with more files than a skill may have",
      () => zipOf([own, ...Array.from({ length: IMPORT.files }, (_, n) => ({ name: `f${n}` }))]),
      "too_many_files",
    ],
    ["that claims 60,000 files", () => zipOf([own], { entries: 60_000 }), "too_many_files"],
    ["that claims billions of files", () => zipOf([own], { entries: 2 ** 33, zip64: true }), "too_many_files"],
    ["with an encrypted file", () => zipOf([own, { name: "x", flags: 1 }]), "encrypted"],
    ["with a strongly encrypted file", () => zipOf([own, { name: "x", flags: 0x41 }]), "encrypted"],
    ["with an AES-encrypted file", () => zipOf([own, { name: "x", method: 99 }]), "encrypted"],
    ["packed with LZMA", () => zipOf([{ ...own, method: 14 }]), "compression"],
    ["with a link", () => zipOf([own, { name: "x", body: "/etc/passwd", mode: 0o120777 }]), "link"],
    ["with a device", () => zipOf([own, { name: "x", mode: 0o020666 }]), "special_file"],
    ["with a folder that has contents", () => zipOf([own, { name: "x/", body: "y" }]), "inconsistent"],
    ["with a name that is not UTF-8", () => zipOf([own, { name: Uint8Array.of(0xff), flags: 0x800 }]), "encoding"],
    ["whose headers name different files", () => zipOf([own, { name: "a.md", localName: "b.md" }]), "inconsistent"],
    ["whose checksum is wrong", () => zipOf([{ ...own, crc: 1 }]), "checksum"],
    ["whose data is not deflate", () => zipOf([{ ...own, method: 8 }]), "truncated"],
    ["whose data ends too early", () => zipOf([{ ...own, body: SKILL, deflate: true, packedSize: 20 }]), "truncated"],
    ["that gives a size too small", () => zipOf([{ ...own, deflate: true, size: 10 }]), "inconsistent"],
    ["that gives a size too large", () => zipOf([{ ...own, deflate: true, size: 1_000 }]), "inconsistent"],
    ["whose data would overlap its directory", () => zipOf([{ ...own, size: 500, packedSize: 500 }]), "inconsistent"],
    ["whose files overlap", () => zipOf([{ ...own }, { ...own, offset: 0 }]), "inconsistent"],
    ["that is a bomb by ratio", () => zipSync({ "SKILL.md": bytesOf(SKILL), x: zeros(5 << 20) }), "archive_too_large"],
    ["that is a bomb by size", () => zipSync({ "SKILL.md": bytesOf(SKILL), x: zeros(16 << 20) }), "archive_too_large"],
    [
      "that hides its size",
      () => zipOf([own, { name: "x", body: zeros(3 << 20), deflate: true, size: 9 }]),
      "inconsistent",
    ],
    ["that claims exabytes", () => zipOf([{ ...own, size: 2 ** 52, zip64: true }]), "archive_too_large"],
    ["that is larger than the limit", () => zeros(IMPORT.archiveBytes + 1), "archive_too_large"],
    ["with a path that leads out of it", () => zipOf([own, { name: "../x" }]), "bad_path"],
    ["with an absolute path", () => zipOf([own, { name: "/etc/passwd" }]), "bad_path"],
    ["with a backslash", () => zipOf([own, { name: "..\\x" }]), "bad_path"],
    ["with a drive", () => zipOf([own, { name: "C:x" }]), "bad_path"],
    ["with a control character", () => zipOf([own, { name: "a\nb" }]), "bad_path"],
    ["with a file twice", () => zipOf([own, { name: "a", body: "1" }, { name: "a", body: "2" }]), "bad_path"],
    ["with two names that differ only in case", () => zipOf([own, { name: "a/B" }, { name: "A/b" }]), "bad_path"],
    [
      "with two names that differ only in Unicode form",
      () => zipOf([own, { name: "\u00e9" }, { name: "e\u0301" }]),
      "bad_path",
    ],
    ["with a file in the place of another's folder", () => zipOf([own, { name: "a" }, { name: "a/b" }]), "bad_path"],
    ["without a SKILL.md", () => zipOf([{ name: "README.md" }, { name: "a" }]), "bad_skill_md missing"],
    [
      "of two skills",
      () =>
        zipOf([
          { ...own, name: "a/SKILL.md" },
          { ...own, name: "b/SKILL.md" },
        ]),
      "bad_skill_md not_alone",
    ],
    [
      "of a whole repository",
      () => zipOf([{ name: "LICENSE" }, { ...own, name: "a/SKILL.md" }]),
      "bad_skill_md not_alone",
    ],
    [
      "with a SKILL.md that is not text",
      () => zipOf([{ ...own, body: Uint8Array.of(0xff, 0xfe) }]),
      "bad_skill_md not_text",
    ],
  ])("%s is refused", (_what, make, code) => {
    expect(refusal(make())).toBe(code);
  });

  it("is decompressed in small steps, so that a bomb is detected early", () => {
    const bomb = deflateSync(zeros(8 << 20), { level: 9 });
    expect(bomb.length).toBeGreaterThan(5_000);
    const damaged = bomb.fill(255, 4_096);
    expect(inflate(damaged, 60_000)).toEqual({ outcome: "too_large" });
    expect(inflate(damaged, 16 << 20)).toEqual({ outcome: "broken" });
  });

  it("gives files or a refusal with a reason, however damaged it is", () => {
    const valid = zipOf([
      { ...own, deflate: true },
      { name: "scripts/run.sh", body: "#!/bin/sh\nls\n".repeat(9), deflate: true },
      { name: "assets/", mode: 0o040755 },
      { name: "assets/x.bin", body: Uint8Array.of(1, 255, 0), zip64: true },
    ]);
    const change = fc.record({ at: fc.nat(valid.length - 1), byte: fc.nat(255) });
    const shape = fc.record({
      changes: fc.array(change, { minLength: 1, maxLength: 6 }),
      cut: fc.option(fc.nat(valid.length)),
      tail: fc.uint8Array({ maxLength: 8 }),
    });
    fc.assert(
      fc.property(shape, ({ changes, cut, tail }) => {
        const damaged = Uint8Array.from(valid);
        for (const { at, byte } of changes) damaged[at] = byte;
        const zip = cut === null ? damaged : Uint8Array.of(...damaged.subarray(0, cut), ...tail);
        const read = readArchive(zip);
        if (!read.ok) expect([read.failure.code, read.failure.message.length > 20]).toEqual([expect.any(String), true]);
      }),
      { numRuns: runs(1_500), seed: 20261122 },
    );
  }, 20_000);
});

describe("a tar.gz", () => {
  const tarGz = (files: [string, string][]) => gzipSync(writeTar(files.map(([path, body]) => [path, bytesOf(body)])));
  const long = `${"folder/".repeat(20)}${"x".repeat(60)}.md`;

  it("is read with names of any length and in any script", () => {
    const files: [string, string][] = [
      ["SKILL.md", SKILL],
      [long, "long"],
      ["références/日本.md", "letters"],
      ["empty", ""],
    ];
    expect(contents(tarGz(files))).toEqual(Object.fromEntries(files));
  });

  it("that was damaged is refused, wherever the damage is", () => {
    const lines = Array.from({ length: 4_000 }, (_, n) => `line ${(n * 7_919) % 1_009}`).join("\n");
    const archive = tarGz([
      ["SKILL.md", SKILL],
      ["a.txt", lines],
    ]);
    for (let at = 12; at < archive.length; at += 97) {
      const damaged = Uint8Array.from(archive);
      damaged[at] = damaged[at]! ^ 4;
      expect([at, unpack(damaged).ok]).toEqual([at, false]);
    }
  });

  it("is refused with more gzip members than real archives have", () => {
    const archive = Uint8Array.from(Array.from({ length: 501 }, () => [...gzipSync(new Uint8Array())]).flat());
    expect(gunzip(archive, 1 << 20).outcome).toBe("broken");
    expect(gunzip(archive.subarray(0, archive.length - archive.length / 501), 1 << 20).outcome).toBe("done");
  });

  it.each([10, 100_000])("may consist of several gzip members, as concatenation makes them (%i bytes)", (size) => {
    const noise = String.fromCharCode(...Array.from({ length: 500 }, (_, n) => 33 + ((n * n) % 90)));
    const tar = writeTar([
      ["SKILL.md", bytesOf(SKILL)],
      ["a.txt", bytesOf(noise.repeat(Math.ceil(size / 500)).slice(0, size))],
    ]);
    const cuts = [0, 700, 1_024, tar.length];
    const members = cuts.slice(1).map((to, n) => gzipSync(tar.subarray(cuts[n], to), { level: 0 }));
    const archive = Uint8Array.from(members.flatMap((member) => [...member]));
    expect(contents(archive)).toMatchObject({ "SKILL.md": SKILL });
    expect(contents(archive)["a.txt"]?.length).toBe(size);
    archive[archive.length - 6]! ^= 1;
    expect(refusal(archive)).toBe("truncated");
  });

  it("can be read and written by the real tar", () => {
    const folder = tempFolder();
    mkdirSync(join(folder, "reading-logs", "scripts", "deep".repeat(30)), { recursive: true });
    writeFileSync(join(folder, "reading-logs", "SKILL.md"), SKILL);
    writeFileSync(join(folder, "reading-logs", "scripts", "deep".repeat(30), "ü.txt"), "deep");
    for (const form of ["ustar", "gnu", "pax"]) {
      try {
        execFileSync("tar", ["-czf", "made.tgz", `--format=${form}`, "reading-logs"], { cwd: folder, stdio: "ignore" });
      } catch {
        // `ustar` cannot hold this name in one field on every system.
        continue;
      }
      const read = readArchive(readFileSync(join(folder, "made.tgz")));
      expect(read).toMatchObject({ ok: true, value: { name: "reading-logs" } });
      expect(read.ok && read.value.files[`scripts/${"deep".repeat(30)}/ü.txt`]).toBe("deep");
    }
    writeFileSync(
      join(folder, "ours.tgz"),
      pack("tar.gz", { "SKILL.md": SKILL, [long]: "#!/bin/sh\n" }, "reading-logs"),
    );
    execFileSync("tar", ["-xzf", "ours.tgz"], { cwd: folder });
    expect(readFileSync(join(folder, "reading-logs", long), "utf8")).toBe("#!/bin/sh\n");
  });

  /** Changes the header at `at` and updates its checksum. */
  const rewrite = (tar: Uint8Array, at: number, change: { type?: string; size?: number }) => {
    if (change.type) tar[at + 156] = change.type.charCodeAt(0);
    if (change.size !== undefined) tar.set(bytesOf(change.size.toString(8).padStart(11, "0")), at + 124);
    tar.fill(32, at + 148, at + 156);
    const sum = tar.subarray(at, at + 512).reduce((total, byte) => total + byte, 0);
    tar.set(bytesOf(`${sum.toString(8).padStart(6, "0")}\0 `), at + 148);
  };
  const withType = (type: string) => {
    const tar = writeTar([
      ["SKILL.md", bytesOf(SKILL)],
      ["x", new Uint8Array()],
    ]);
    rewrite(tar, 1_024, { type });
    return gzipSync(tar);
  };
  /** SKILL.md after an extension header of `type` with `records`. Its own header gives `size`. */
  const withPax = (records: string, { type = "x", size = SKILL.length } = {}) => {
    const tar = writeTar([
      ["pax", bytesOf(records)],
      ["SKILL.md", bytesOf(SKILL)],
    ]);
    rewrite(tar, 0, { type });
    rewrite(tar, 512 + Math.ceil(records.length / 512) * 512, { size });
    return gzipSync(tar);
  };
  const record = (text: string) => `${text.length + 4} ${text}\n`;

  it("uses the size in a pax record for a file, as tar does", () => {
    const archive = withPax(record(`size=${String(SKILL.length).padStart(6, "0")}`), { size: 0 });
    const folder = tempFolder();
    writeFileSync(join(folder, "a.tgz"), archive);
    execFileSync("tar", ["-xzf", "a.tgz"], { cwd: folder });
    expect(readFileSync(join(folder, "SKILL.md"), "utf8")).toBe(SKILL);
    expect(contents(archive)).toEqual({ "SKILL.md": SKILL });
  });

  it.each<[string, () => Uint8Array, string]>([
    ["that is cut off", () => tarGz([["SKILL.md", SKILL]]).subarray(0, 40), "truncated"],
    ["whose tar is cut off", () => gzipSync(writeTar([["SKILL.md", bytesOf(SKILL)]]).subarray(0, 530)), "truncated"],
    ["that does not contain a tar", () => gzipSync(bytesOf("x".repeat(600))), "inconsistent"],
    ["whose pax record is malformed", () => withPax("99 size=1\n"), "inconsistent"],
    ["whose pax size is not a number", () => withPax(record("size=0000x1")), "inconsistent"],
    ["that gives all files the same size", () => withPax(record("size=000005"), { type: "g" }), "inconsistent"],
    ["with a sparse file", () => withPax(record("GNU.sparse.major=1")), "special_file"],
    ["with a link", () => withType("2"), "link"],
    ["with a hard link", () => withType("1"), "link"],
    ["with a device", () => withType("3"), "special_file"],
    [
      "with a path that leads out of it",
      () =>
        tarGz([
          ["SKILL.md", SKILL],
          ["../x", ""],
        ]),
      "bad_path",
    ],
    ["that is a bomb", () => gzipSync(new Uint8Array(16 << 20)), "archive_too_large"],
    [
      "that grows too much when decompressed",
      () =>
        gzipSync(
          writeTar([
            ["SKILL.md", bytesOf(SKILL)],
            ["x", new Uint8Array(5 << 20)],
          ]),
        ),
      "archive_too_large",
    ],
    ["without files", () => gzipSync(new Uint8Array(1_024)), "bad_skill_md missing"],
  ])("%s is refused", (_what, make, code) => {
    expect(refusal(make())).toBe(code);
  });

  it("gives files or a refusal, however damaged it is", () => {
    const tar = writeTar([
      ["SKILL.md", bytesOf(SKILL)],
      [long, bytesOf("x")],
    ]);
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(tar.length - 1), fc.nat(255)), { maxLength: 4 }), (changes) => {
        const damaged = Uint8Array.from(tar);
        for (const [at, byte] of changes) damaged[at] = byte;
        const read = readArchive(gzipSync(damaged, { level: 0 }));
        if (!read.ok) expect(read.failure.message.length).toBeGreaterThan(20);
      }),
      { numRuns: runs(300), seed: 20261122 },
    );
  });
});

describe("packing a skill", () => {
  const paths = fc
    .array(fc.stringMatching(/^[a-z0-9é日 ]{1,12}[a-z0-9]$/), { minLength: 1, maxLength: 3 })
    .map((segments) => `f-${segments.join("/")}`);
  const bodies = fc.oneof(fc.string({ maxLength: 200 }), fc.uint8Array({ maxLength: 200 }));

  it.each(["zip", "tar.gz"] as const)(
    "gives back every byte, in a folder or at the root: %s",
    (kind) => {
      fc.assert(
        fc.property(fc.dictionary(paths, bodies, { maxKeys: 6 }), fc.boolean(), (others, inFolder) => {
          const files = { "SKILL.md": SKILL, ...others };
          const archive = pack(kind, files, inFolder ? "reading-logs" : undefined);
          expect(archiveKindOf(archive)).toBe(kind);
          const read = readArchive(archive);
          // Names that differ only in case, or a file in the place of another's folder, cannot be unpacked everywhere.
          if (!read.ok) {
            expect(read.failure.code).toBe("bad_path");
            return;
          }
          expect(Object.keys(read.value.files).toSorted()).toEqual(Object.keys(files).toSorted());
          for (const [path, body] of Object.entries(files)) {
            expect(Buffer.from(read.value.files[path]!)).toEqual(Buffer.from(body));
          }
        }),
        { numRuns: runs(60) },
      );
    },
    20_000,
  );

  it("gives identical bytes for identical files in any order", () => {
    for (const kind of ["zip", "tar.gz"] as const) {
      expect(pack(kind, { b: "2", a: "1" })).toEqual(pack(kind, { a: "1", b: "2" }));
    }
  });
});
