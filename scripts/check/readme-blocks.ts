// Runs the shell blocks of the documents below. Called by .ci/run: `readme-blocks.ts run` executes them in order, except the
// test command, which .ci/run runs last with a report; `readme-blocks.ts list` prints what would run. A block marked
// `no-run` is skipped. One marked `background` is started and stopped after the last block.
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** In this order: what the README starts in the background serves the others. */
export const DOCUMENTS = ["README.md", "docs/GUIDE.md", "docs/DEPLOY.md", "CONTRIBUTING.md"] as const;

export interface Block {
  /** Absent if the text is not one of the documents. */
  file?: string;
  /** 1-based line of its first line of text. */
  line: number;
  text: string;
  mode: "run" | "background" | "no-run";
}

const TEST_COMMAND = "npm test";
const READY_MS = 180_000;
const root = resolve(import.meta.dirname, "../..");

/** Fenced blocks of a shell. Blocks in another language are not commands. */
export function shellBlocks(markdown: string): Block[] {
  const blocks: Block[] = [];
  let open: { line: number; mode: Block["mode"]; shell: boolean; lines: string[] } | undefined;
  for (const [index, line] of markdown.split("\n").entries()) {
    const fence = /^```\s*(\S*)\s*(.*)$/.exec(line);
    if (!open && fence) {
      const mark = /\b(no-run|background)\b/.exec(fence[2] ?? "")?.[1] as Block["mode"] | undefined;
      open = { line: index + 2, mode: mark ?? "run", shell: /^(sh|bash|console)$/.test(fence[1] ?? ""), lines: [] };
    } else if (open && line.startsWith("```")) {
      if (open.shell) blocks.push({ line: open.line, mode: open.mode, text: open.lines.join("\n") });
      open = undefined;
    } else {
      open?.lines.push(line);
    }
  }
  return blocks;
}

/** What .ci/run executes, in its order: the test command comes last, even if the file names it earlier. */
export function orderBlocks(blocks: Block[]): Block[] {
  const isTest = (block: Block) => block.text.trim() === TEST_COMMAND;
  const running = blocks.filter((block) => block.mode !== "no-run");
  return [...running.filter((block) => !isTest(block)), ...running.filter(isTest)];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const blocks = orderBlocks(DOCUMENTS.flatMap(readBlocks));
  if (process.argv[2] === "list") {
    for (const block of blocks) console.log(JSON.stringify(block));
  } else if (process.argv[2] === "run") {
    process.exitCode = await runAll(blocks.filter((block) => block.text.trim() !== TEST_COMMAND));
  } else {
    console.error("Usage: readme-blocks.ts list | run");
    process.exitCode = 2;
  }
}

function readBlocks(file: string): Block[] {
  return shellBlocks(readFileSync(resolve(root, file), "utf8")).map((block) => ({ file, ...block }));
}

async function runAll(blocks: Block[]): Promise<number> {
  const background: ChildProcess[] = [];
  try {
    for (const block of blocks) {
      console.log(`\n── ${block.file}:${block.line}${block.mode === "background" ? " (in the background)" : ""}`);
      console.log(block.text.replaceAll(/^/gm, "$ "));
      if (block.mode === "background") {
        background.push(await startBlock(block));
        continue;
      }
      const code = await waitForExit(shell(block.text, "inherit"));
      if (code === 0) continue;
      console.error(`${block.file}:${block.line} ended with ${code}`);
      return 1;
    }
    return 0;
  } finally {
    for (const child of background) await endBlock(child);
  }
}

function shell(text: string, stdout: "inherit" | "pipe", detached = false): ChildProcess {
  return spawn("bash", ["-euo", "pipefail", "-c", text], { cwd: root, detached, stdio: ["ignore", stdout, "inherit"] });
}

function waitForExit(child: ChildProcess): Promise<number> {
  return new Promise((done, fail) => {
    child.once("error", fail);
    child.once("close", (code) => done(code ?? 1));
  });
}

/** Ready when it prints where it listens. */
function startBlock(block: Block): Promise<ChildProcess> {
  const child = shell(block.text, "pipe", true);
  return new Promise((done, fail) => {
    const failed = (why: string) => {
      if (child.pid) process.kill(-child.pid, "SIGTERM");
      fail(new Error(`${block.file}:${block.line} ${why}`));
    };
    const timer = setTimeout(() => failed("did not say where it listens"), READY_MS);
    let seen = "";
    child.stdout?.on("data", (data) => {
      process.stdout.write(data);
      seen += String(data);
      if (!/listening on http:/.test(seen)) return;
      clearTimeout(timer);
      done(child);
    });
    child.once("error", fail);
    child.once("close", (code) => {
      clearTimeout(timer);
      fail(new Error(`${block.file}:${block.line} ended with ${code}`));
    });
  });
}

async function endBlock(child: ChildProcess): Promise<void> {
  if (!child.pid || child.exitCode !== null) return;
  const closed = waitForExit(child);
  process.kill(-child.pid, "SIGTERM");
  await closed;
}
