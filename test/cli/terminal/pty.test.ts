// `talaria` as a process in a real pseudo-terminal, against a fake API: it begins, answers, and gives the terminal back.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { answerJson } from "../../support/fake-api.ts";
import { createTempFolders } from "../../support/temp-folders.ts";
import { startFakeSession } from "../../support/terminal/fake-session.ts";

const TALARIA = join(import.meta.dirname, "../../../cli/talaria.ts");
/** Of util-linux: runs a command in a pseudo-terminal of its own. */
const SCRIPT = "/usr/bin/script";
const tempFolder = createTempFolders();

/** `stty` after the program says what it left. */
function openPty(url: string, env: Record<string, string>) {
  const command = `${JSON.stringify(process.execPath)} ${JSON.stringify(TALARIA)}; echo "code $?"; stty -a`;
  const child = spawn(SCRIPT, ["-qefc", command, "/dev/null"], {
    cwd: tempFolder(),
    env: { PATH: process.env.PATH, TALARIA_URL: url, TALARIA_KEY: "tal_key", ...env },
  });
  let output = "";
  child.stdout.on("data", (piece) => (output += piece));
  const waitFor = async (text: string | RegExp) => {
    for (let waited = 0; waited < 15_000; waited += 20) {
      if (typeof text === "string" ? output.includes(text) : text.test(output)) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`${String(text)} never came: ${JSON.stringify(output.slice(-2_000))}`);
  };
  const ended = new Promise<string>((resolve) => child.on("close", () => resolve(output)));
  return { child, waitFor, ended };
}

const HEALTH = { "GET /health": answerJson(200, { ok: true, version: "9.9.9", model: "m" }) };

describe.runIf(existsSync(SCRIPT))("talaria in a pseudo-terminal", { timeout: 30_000 }, () => {
  it("shows an answer beside a typed line, and leaves a terminal that works", async () => {
    await using api = await startFakeSession(HEALTH);
    const { child, waitFor, ended } = openPty(api.url, { TERM: "xterm-256color" });
    await waitFor("new session");
    child.stdin.write(" Hello\r"); // a private line: it leaves nothing in the history of this machine
    await waitFor("Hello");
    await api.begin(1);
    await waitFor("Esc stops");
    child.stdin.write("half a line");
    await api.say("The answer.");
    await api.end(1);
    await waitFor("12 tokens");
    child.stdin.write("\x03");
    child.stdin.write("\x04");
    const output = await ended;
    expect(output).toContain("The answer.");
    expect(output).toContain("code 0");
    // Bracketed paste was switched on, and off again at the end; lines are edited by the terminal again.
    expect(output.lastIndexOf("\x1b[?2004l")).toBeGreaterThan(output.lastIndexOf("\x1b[?2004h"));
    expect(output.lastIndexOf("\x1b[?25h")).toBeGreaterThan(output.lastIndexOf("\x1b[?25l"));
    expect(output).toMatch(/(?<!-)icanon/);
  });

  it("holds the plain conversation in a terminal that can only print", async () => {
    await using api = await startFakeSession(HEALTH);
    const { child, waitFor, ended } = openPty(api.url, { TERM: "dumb" });
    await waitFor("Talaria 9.9.9");
    child.stdin.write("Hello\n");
    await api.begin(1);
    await api.say("The answer.");
    await api.end(1);
    await waitFor("12 tokens");
    child.stdin.write("\x04");
    expect(await ended).not.toMatch(/\x1b\[/);
  });
});
