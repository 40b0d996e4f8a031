// Checks that stop a start or a deployment before anything boots. Each invalid variable or state is reported in one sentence.
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { checkVars, readPublicUrl } from "../../scripts/check/vars.ts";
import { PlainError, toSentence } from "../../scripts/command-line.ts";
import { checkState, toEndSentence } from "../../scripts/stack/state-check.ts";
import { createTempFolders } from "../support/temp-folders.ts";

const tempFolder = createTempFolders();
const NOBODY = 65_534;

function sentenceOf(check: () => void): string | null {
  try {
    check();
    return "nothing is wrong";
  } catch (error) {
    return toSentence(error);
  }
}

describe("variables", () => {
  it.each<[Record<string, string>, RegExp]>([
    [{ TALARIA_SETTINGS: "{" }, /^TALARIA_SETTINGS is not JSON\. Fix or unset TALARIA_SETTINGS; /],
    [
      { TALARIA_SETTINGS: '{"turn":{"maxStep":1}}' },
      /^TALARIA_SETTINGS: There is no setting 'turn\.maxStep'; did you mean turn\.maxSteps\? Fix /,
    ],
    [
      { TALARIA_SETTINGS: '{"reviw":{}}' },
      /^TALARIA_SETTINGS: There is no setting 'reviw'; did you mean review\? Fix /,
    ],
    [{ TALARIA_SETTINGS: '{"xyz":{}}' }, /^TALARIA_SETTINGS: There is no setting 'xyz'\. Fix /],
    [{ TALARIA_SETTINGS: '{"turn":{"maxSteps":"1"}}' }, /^TALARIA_SETTINGS: turn\.maxSteps: .* Fix /],
    [{ TALARIA_MODEL: "antropic:x" }, /^TALARIA_MODEL names no provider for antropic:x\. Use anthropic:<model>/],
    [{ TALARIA_MODEL: "anthropic:claude" }, /needs ANTHROPIC_API_KEY: set it\.$/],
    [{ TALARIA_MODEL_REVIEW: "groq:" }, /^TALARIA_MODEL_REVIEW names no model with groq:/],
    [{ OPENAI_BASE_URL: "localhost:8000", OPENAI_API_KEY: "k", OPENAI_MODEL: "m" }, /^OPENAI_BASE_URL must be /],
    [{ TALARIA_MEMORY_PROVIDER: "mem1" }, /^TALARIA_MEMORY_PROVIDER names 'mem1'/],
    [
      { TALARIA_MEMORY_PROVIDER: "mem0,hindsight", MEM0_API_KEY: "k" },
      /^TALARIA_MEMORY_PROVIDER names 2 external memories \(mem0, hindsight\)\. Name one: only one can be used\.$/,
    ],
    [{ TALARIA_PUBLIC_PROFILE: "me" }, /^TALARIA_PUBLIC_PROFILE is not a profile id/],
    [{ TALARIA_PUBLIC_URL: "talaria.example" }, /^TALARIA_PUBLIC_URL must be a scheme and a host/],
    [{ TALARIA_PUBLIC_URL: "https://talaria.example/path" }, /^TALARIA_PUBLIC_URL must be/],
  ])("%j are refused", (env, sentence) => {
    expect(sentenceOf(() => checkVars(env))).toMatch(sentence);
  });

  it("that are valid pass, and keys of unused providers are ignored", () => {
    const settings = { TALARIA_SETTINGS: '{"review":{"afterModelCalls":5}}', TALARIA_MODEL: "ollama:llama3.3:70b" };
    expect(sentenceOf(() => checkVars({ ...settings, MISTRAL_API_KEY: "k", TALARIA_MODEL_TITLE: " " }))).toBe(
      "nothing is wrong",
    );
    expect(readPublicUrl({ TALARIA_PUBLIC_URL: "https://Talaria.example:8443/" })).toBe("https://talaria.example:8443");
  });

  it("never appear with their secrets in a message", () => {
    const sentence = sentenceOf(() =>
      checkVars({ TALARIA_MODEL: "groq:x", GROQ_API_KEY: "", OPENAI_API_KEY: "sk-secret" }),
    );
    expect(sentence).toMatch(/GROQ_API_KEY/);
    expect(sentence).not.toContain("sk-secret");
  });
});

describe("a state folder", () => {
  it("is created, and passes with the files of an earlier start", () => {
    const folder = join(tempFolder(), "new", "state");
    expect(sentenceOf(() => checkState(folder))).toBe("nothing is wrong");
    mkdirSync(join(folder, "data/v3/do"), { recursive: true });
    writeFileSync(join(folder, "profile.json"), '{"v":1,"profile":"');
    expect(sentenceOf(() => checkState(folder))).toBe("nothing is wrong");
  });

  it.each([
    ["profile.json", '{"v":2,"profile":"x"}'],
    ["data/v4/x", ""],
  ])("from a newer version is refused (%s)", (name, text) => {
    const folder = tempFolder();
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text);
    expect(sentenceOf(() => checkState(folder))).toBe(
      `${folder} was written by a newer version of Talaria. Start that version, or move the folder away for a new state.`,
    );
  });

  it("is refused if a file has its path", () => {
    const folder = tempFolder();
    writeFileSync(join(folder, "state"), "");
    expect(sentenceOf(() => checkState(join(folder, "state")))).toMatch(
      /state cannot be used \(EEXIST, mkdir\)\. There is a file where a folder is needed\. Move it away\.$/,
    );
    expect(sentenceOf(() => checkState(join(folder, "state", "inner")))).toMatch(
      /state cannot be used \(EEXIST, mkdir\)\. There is a file/,
    );
  });

  it("is refused if the access file is a folder", () => {
    const folder = tempFolder();
    mkdirSync(join(folder, "local.json"));
    expect(sentenceOf(() => checkState(join(folder, "state"), join(folder, "local.json")))).toMatch(
      new RegExp(`^${join(folder, "local.json")} cannot be used \\(EISDIR, read\\)\\. There is a folder`),
    );
  });

  it("of another user, or with an unwritable file, is refused with the path", () => {
    const folder = mkdtempSync(join(tmpdir(), "talaria-of-another-")); // no parent folder is private
    const inner = join(folder, "data/v3/do/talaria-api-Session");
    mkdirSync(inner, { recursive: true });
    const file = join(inner, "a b.sqlite");
    writeFileSync(file, "");
    chmodSync(file, 0o400);
    const isRoot = process.getuid?.() === 0;
    for (const path of ["", "data", "data/v3", "data/v3/do", "data/v3/do/talaria-api-Session"]) {
      if (isRoot) chownSync(join(folder, path), NOBODY, NOBODY);
    }
    const of = (name: string) => JSON.stringify(pathToFileURL(join(import.meta.dirname, "../../scripts", name)).href);
    const script = `import { checkState, toEndSentence } from ${of("stack/state-check.ts")}; import { toSentence } from ${of("command-line.ts")};
      try { checkState(${JSON.stringify(folder)}); } catch (error) { console.log(toSentence(error)); }`;
    const other = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
    const args = ["--input-type=module-typescript", "-e", script];
    const ran = spawnSync(process.execPath, args, { ...other, encoding: "utf8", cwd: "/" });
    expect(ran.stdout.trim()).toBe(
      `${file} cannot be used (EACCES, access). ` +
        (isRoot
          ? `It belongs to another user. Make this user the owner: chown "$USER" '${file}'.`
          : `Its mode denies access. Run chmod u+rwX '${file}', then start again.`),
    );
    rmSync(folder, { recursive: true });
  });

  it("is made accessible by the one command in the message, for a closed file or folder", () => {
    const folder = mkdtempSync(join(tmpdir(), "talaria-shut-"));
    const inner = join(folder, "state", "data");
    mkdirSync(inner, { recursive: true });
    writeFileSync(join(inner, "a"), "");
    const sentenceFor = (path: string) =>
      toSentence(Object.assign(new Error(), { code: "EACCES", syscall: "open", path }));
    const open = (path: string) => `Its mode denies access. Run chmod u+rwX ${path}, then start again.`;
    for (const [path, shut, mode] of [
      [join(inner, "a"), join(inner, "a"), 0o400],
      [join(inner, "a"), inner, 0o500],
      [join(inner, "new"), inner, 0o500],
    ] as const) {
      const before = statSync(shut).mode;
      chmodSync(shut, mode);
      expect(sentenceFor(path)).toBe(`${path} cannot be used (EACCES, open). ${open(shut)}`);
      chmodSync(shut, before);
    }
    rmSync(folder, { recursive: true });
  });
});

describe("the message when the Workers end", () => {
  it("names a full disk, otherwise the log", () => {
    const folder = tempFolder();
    expect(toEndSentence(folder, "/x/stack.log", 5 << 20)).toBe(
      `The Workers have ended, and the disk is full. The disk of ${folder} has 5 MB left, but a start needs 64 MB. ` +
        "Free some space, then start again.",
    );
    expect(toEndSentence(folder, "/x/stack.log", 64 << 20)).toBe(
      "The Workers have ended. Their last output is in /x/stack.log",
    );
  });
});

describe("an error", () => {
  const errno = (code: string, syscall: string, path?: string) =>
    Object.assign(new Error(`${code}: ${syscall}`), { code, syscall, path });
  it.each(["EACCES", "ENOTDIR", "ENOSPC", "EROFS", "EDQUOT", "EISDIR"])(
    "of the system (%s) becomes a message with a fix",
    (code) => {
      const sentence = toSentence(errno(code, "write", "/x/state"));
      expect(sentence).toMatch(new RegExp(`^/x/state cannot be used \\(${code}, write\\)\\. .+\\. .+\\.$`));
    },
  );

  it("that is unexpected keeps its stack", () => {
    expect([
      toSentence(new TypeError("x")),
      toSentence(errno("EWEIRD", "open")),
      toSentence(new PlainError("Do this.")),
    ]).toEqual([null, null, "Do this."]);
  });
});
