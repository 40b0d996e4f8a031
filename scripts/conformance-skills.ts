// `npm run conformance:skills`: npm's `skills` program against what a stack of its own publishes, and the way back: what that program installed
// is taken in by other profiles, from its folders and by its lock file. Prints each step. Last line: {"passed","failed"}, in steps. Ends with 1
// if one failed.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { isDeepStrictEqual } from "node:util";
import { runCommandLine } from "../cli/command-line/run.ts";
import { toContents } from "../core/schemas/file-body.ts";
import { PlainError, parseFlags, runCommand } from "./command-line.ts";
import { startKeyProxy } from "./conformance/key-proxy.ts";
import { PUBLISHED_SKILLS, listPublishedFiles } from "./conformance/sample-skill.ts";
import { installLatest, readFiles, runSkills } from "./conformance/skills-program.ts";
import { type OwnStack, withOwnStack } from "./stack/own-stack.ts";

const USAGE = `npm run conformance:skills

Publishes skills from a stack of its own, installs them with npm's \`skills\` program, and takes in again what that program installed.

  --latest     the newest \`skills\` of the registry, instead of the tested one`;

await runCommand(USAGE, async () => {
  const { latest = false } = parseFlags({ latest: { type: "boolean" } });
  let target = "";
  // The lock file names where the skills came from: an address that the stack may ask, which is known before it has one itself.
  await using relay = await startKeyProxy(() => target);
  const env = { TALARIA_SETTINGS: JSON.stringify({ outbound: { allow: [relay.url] } }) };
  const folder = mkdtempSync(join(tmpdir(), "talaria-skills-program-"));
  try {
    const newest = latest ? await installLatest(join(folder, "program")) : undefined;
    return await withOwnStack(
      "skills",
      (stack) => run((target = stack.url), { stack, relay: relay.url, folder, newest }),
      env,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

interface World {
  stack: OwnStack;
  relay: string;
  folder: string;
  /** The newest program. Absent: the tested one. */
  newest: string | undefined;
}

async function run(url: string, { stack, relay, folder, newest }: World): Promise<number> {
  const totals = { passed: 0, failed: 0 };
  async function step(title: string, work: () => Promise<void>): Promise<void> {
    const failure = await work().then(
      () => null,
      (error: unknown) => error,
    );
    totals[failure === null ? "passed" : "failed"]++;
    console.log(`  ${failure === null ? "passed" : "failed"}  ${title}`);
    if (failure !== null) console.log(String(failure));
  }

  for (const [name, files] of Object.entries(PUBLISHED_SKILLS)) {
    await send(url, stack.key, `/v1/skills/import?name=${name}`, { files: toContents(files) });
    await send(url, stack.key, `/v1/skills/${name}/publish`, { public: true });
  }
  const expected = listPublishedFiles();
  const place = `${relay}/p/${stack.profile}`;
  const program = { project: join(folder, "project"), ...(newest !== undefined && { program: newest }) };
  const installed = join(program.project, ".claude/skills");

  await step("`skills add` installs all public skills, byte for byte", async () => {
    await runSkills(program, ["add", place, "--skill", "*", "--agent", "claude-code", "--yes", "--copy"]);
    expectSame(readFiles(installed), expected);
  });
  await step("`skills experimental_install` restores them from its lock file", async () => {
    const restored = { ...program, project: join(folder, "restored") };
    await runSkills(restored, ["add", place, "--skill", "*", "--agent", "universal", "--yes", "--copy"]);
    rmSync(join(restored.project, ".agents"), { recursive: true });
    await runSkills(restored, ["experimental_install"]);
    expectSame(readFiles(join(restored.project, ".agents/skills")), expected);
  });
  await step("`talaria skills import` takes in each folder, byte for byte", async () => {
    const { key } = await stack.createProfile();
    for (const name of Object.keys(PUBLISHED_SKILLS))
      await talaria(url, key, ["skills", "import", join(installed, name)]);
    expectSame(await exportAll(url, key), expected);
  });
  const { key } = await stack.createProfile();
  await step("`talaria skills install` installs what the lock file names, from its source", async () => {
    await talaria(url, key, ["skills", "install", program.project, "--yes", "--accept"]);
    expectSame(await exportAll(url, key), expected);
    await talaria(url, key, ["skills", "check"]);
  });
  const changed = { ...PUBLISHED_SKILLS["sorting-mail"]!, "scripts/new.sh": "#!/bin/sh\ncal\n" };
  const path = "/v1/skills/import?name=sorting-mail&replace=true";
  await send(url, stack.key, path, { files: toContents(changed) });
  const newer = {
    ...expected,
    "sorting-mail/scripts/new.sh": Buffer.from(changed["scripts/new.sh"]).toString("base64"),
  };
  await step("`skills update` takes a text that was published since", async () => {
    await runSkills(program, ["update", "--project", "--yes"]);
    expectSame(readFiles(installed), newer);
  });
  await step("`talaria skills update --all` takes it, too", async () => {
    await talaria(url, key, ["skills", "update", "--all", "--yes", "--accept"]);
    expectSame(await exportAll(url, key), newer);
  });
  console.log(JSON.stringify(totals));
  return totals.failed === 0 ? 0 : 1;
}

function expectSame(found: Record<string, string>, expected: Record<string, string>): void {
  const sorted = (files: object) => Object.fromEntries(Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1)));
  if (isDeepStrictEqual(sorted(found), sorted(expected))) return;
  throw new PlainError(`found ${JSON.stringify(sorted(found))}, expected ${JSON.stringify(sorted(expected))}`);
}

async function exportAll(url: string, key: string): Promise<Record<string, string>> {
  const skills: [string, Record<string, string | { base64: string }>][] = [];
  for (const name of Object.keys(PUBLISHED_SKILLS)) {
    const answer = await send(url, key, `/v1/skills/${name}/export?format=folder`);
    skills.push([name, ((await answer.json()) as { files: Record<string, string> }).files]);
  }
  const all = skills.flatMap(([name, files]) =>
    Object.entries(files).map(([path, content]) => {
      const base64 = typeof content === "string" ? Buffer.from(content).toString("base64") : content.base64;
      return [`${name}/${path}`, base64] as const;
    }),
  );
  return Object.fromEntries(all);
}

async function send(url: string, key: string, path: string, body?: object): Promise<Response> {
  const response = await fetch(`${url}${path}`, {
    method: body ? "POST" : "GET",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (response.ok) return response;
  throw new PlainError(`${path}: ${response.status} ${await response.text()}`);
}

/** Throws with what it said if it does not end with 0. */
async function talaria(url: string, key: string, args: string[]): Promise<void> {
  let said = "";
  const sink = () => new PassThrough().on("data", (piece: Buffer) => (said += piece.toString()));
  const streams = { stdin: Readable.from([]), stdout: sink(), stderr: sink() };
  const code = await runCommandLine(args, streams, { TALARIA_URL: url, TALARIA_KEY: key });
  await new Promise((done) => setImmediate(done));
  if (code !== 0) throw new PlainError(`talaria ${args.join(" ")} ended with ${code}:\n${said}`);
}
