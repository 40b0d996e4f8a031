// The verbs of `talaria` in this process, against a fake API: what they request, print, ask and refuse.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { renderExitTable, renderVerbTable } from "../../cli/command-line/help.ts";
import { VERBS } from "../../cli/verbs/index.ts";
import { type Handler, answerJson, answerProblem, startFakeApi } from "../support/fake-api.ts";
import { ask, talaria } from "../support/run-talaria.ts";
import { createTempFolders } from "../support/temp-folders.ts";

const tempFolder = createTempFolders();
const SESSION = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
const FACT = "ab".repeat(32);
const INFO = { session: SESSION, title: "Rain \x1b[2Jtables", learning: "on", createdAt: 1_700_000_000_000 };
const DETAIL = {
  ...INFO,
  backend: "workspace",
  state: "idle",
  turns: [],
  reviewing: [],
  usage: { calls: 1, tokens: 12, usd: 0.5 },
};

const list = (name: string, items: unknown[], next?: string) =>
  answerJson(200, { [name]: items, ...(next && { next }) });
const head = (more: object = {}) => ({
  v: 1,
  name: "rain",
  seq: 2,
  rev: 2,
  text: FACT,
  description: "d",
  category: "",
  state: "active",
  pinned: false,
  origin: "user",
  files: {},
  citations: [],
  op: "o",
  revisedAt: 1,
  stateAt: 1,
  createdAt: 1,
  updatedAt: 1,
  movedAt: 1,
  checkedAt: 1,
  ...more,
});

describe("a verb", () => {
  it.each(VERBS.map(({ name }) => name))("%s explains itself with --help, without a server", async (name) => {
    const { code, stdout, stderr } = await talaria([name, "--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(`talaria ${name}: `);
    expect(stdout).toContain("--json");
  });

  it.each([
    [
      ["sessions", "lits"],
      '"lits" is not one of: list, show, rename, delete, export. Did you mean `talaria sessions list`?',
    ],
    [["sessions", "show"], "Write it as `talaria sessions show SESSION`."],
    [["search"], "Write it as `talaria search QUERY...`."],
    [["memory", "list", "--loud"], /^Unknown option '--loud'[^]*`talaria memory --help` shows the options/],
    [["memory", "--limit", "0"], "--limit takes a whole number from 1"],
    [["memory", "add", "x", "--store", "mine"], '--store takes memory, user, not "mine".'],
    [["usage", "--by", "hour"], '--by takes day, session, kind, model, not "hour".'],
    [["skills", "restore", "rain", "last"], '"last" is not the number of a revision'],
    [["skills", "import", "/nowhere/a.zip"], "/nowhere/a.zip cannot be read (ENOENT)."],
    [["import", "/"], "The home of another program: `talaria import hermes FOLDER`."],
    [["completion", "fish"], 'completion takes bash or zsh, not "fish".'],
    [["-c", "-r"], "Give one of -c, -r and --session."],
    [["-r", "mine"], '"mine" is not a session\'s id.'],
    [["-p", "x", "--output-format", "xml"], "--output-format takes text, json, stream-json"],
    [["-p", "x", "--max-wait", "soon"], "--max-wait takes whole seconds"],
    [["-p", "x", "--reasoning", "much"], "--reasoning takes none, minimal"],
    [["-p", "x", "-c", "--learning", "off"], "--learning and --backend are chosen when a session begins"],
    [["--file", "x"], "--file goes with -p TEXT."],
    [["-p", "x", "--file", "/nowhere"], "/nowhere cannot be read (ENOENT)."],
    [["-p", "x", "--image", "/nowhere.png"], "There is no file /nowhere.png"],
    [["--profile", "a b", "usage"], '"a b" is not a name for --profile'],
  ])("refuses %j with code 2 and says what to write", async (args, sentence) => {
    const { code, stdout, stderr } = await talaria(args, { url: "http://127.0.0.1:9" });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toEqual(
      typeof sentence === "string" ? expect.stringContaining(sentence) : expect.stringMatching(sentence),
    );
  });

  it("needs an address and a key, and says how to get them", async () => {
    const { code, stderr } = await talaria(["usage"]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/^No address\. Run `npm start` once/) });
  });

  it("ends with 3 after a refusal, 1 after a fault of the server and 4 without one", async () => {
    expect(await ask(["keys"], [answerProblem(403, "scope_missing")])).toMatchObject({
      code: 3,
      stdout: "",
      stderr: "It is scope_missing. (scope_missing)\n",
    });
    expect(await ask(["keys"], [answerProblem(500, "internal")])).toMatchObject({ code: 1 });
    expect(await ask(["keys"], [answerJson(200, { other: 1 })])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("The server's answer has an unknown form (keys)."),
    });
    const { url, ...api } = await startFakeApi([]);
    await api[Symbol.asyncDispose]();
    expect(await talaria(["keys"], { url })).toMatchObject({
      code: 4,
      stderr: `Nothing answers at ${url} (ECONNREFUSED). Is it running? \`npm start\` starts it.\n`,
    });
  });

  it("finds itself after flags that come first", async () => {
    await using api = await startFakeApi([list("sessions", [])]);
    expect(await talaria(["--url", api.url, "--json", "sessions", "list", "--key", "tal_x"])).toMatchObject({
      code: 0,
      stdout: '{"sessions":[]}\n',
    });
  });
});

describe("a list", () => {
  it("is read to its end page by page, and with --limit to there", async () => {
    const pages = [list("sessions", [INFO], "c1"), list("sessions", [INFO])];
    const all = await ask(["sessions", "--json"], pages);
    expect(all.requests).toEqual(["GET /v1/sessions", "GET /v1/sessions?after=c1"]);
    expect(JSON.parse(all.stdout)).toEqual({ sessions: [INFO, INFO] });
    const some = await ask(["sessions", "--limit", "1", "--after", "c0"], pages);
    expect(some.requests).toEqual(["GET /v1/sessions?after=c0&limit=1"]);
    expect(some.stderr).toBe("More: --after c1\n");
  });

  it("fits the columns of a terminal and never shows control characters", async () => {
    const long = { ...INFO, title: "Rain ".repeat(40) };
    const wide = await ask(["sessions"], [list("sessions", [INFO, long])], { columns: 72 });
    const lines = wide.stdout.trimEnd().split("\n");
    expect(Math.max(...lines.map((line) => line.length))).toBe(72);
    expect(lines[2]).toMatch(/Rain…$|…$/);
    expect(wide.stdout).not.toContain("\x1b");
    const piped = await ask(["sessions"], [list("sessions", [long])]);
    expect(piped.stdout).toContain(long.title.trim());
  });

  it("says on stderr that it is empty, so that a pipe gets nothing", async () => {
    expect(await ask(["pending"], [list("pending", [])])).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "Nothing waits.\n",
    });
  });
});

describe("a verb that destroys", () => {
  it.each([
    [["sessions", "delete", SESSION], `DELETE /v1/sessions/${SESSION}`],
    [["skills", "delete", "rain"], "DELETE /v1/skills/rain"],
    [["keys", "revoke", "key_1"], "DELETE /v1/keys/key_1"],
  ])("%j asks first, and refuses to guess without a terminal", async (args, request) => {
    const deleted: Handler = (response) => void response.writeHead(204).end();
    expect(await ask(args, [deleted])).toMatchObject({
      code: 2,
      requests: [],
      stderr: expect.stringContaining("pass --yes"),
    });
    expect(await ask(args, [deleted], { columns: 80, typed: "no" })).toMatchObject({ code: 0, requests: [] });
    expect(await ask(args, [deleted], { columns: 80, typed: "y" })).toMatchObject({ code: 0, requests: [request] });
    expect(await ask([...args, "--yes"], [deleted])).toMatchObject({ code: 0, requests: [request] });
  });

  it("purges the fact whose id begins as given, and none when two do", async () => {
    const fact = {
      id: FACT,
      store: "user",
      text: "Likes tea",
      since: 1,
      origin: "user",
      adds: ["a"],
      outside: false,
      hidden: false,
      findings: [],
    };
    const other = { ...fact, id: `abab${"0".repeat(60)}` };
    const listed = (...entries: object[]) => answerJson(200, { entries, usage: {}, purged: [] });
    const done = answerJson(200, { store: "user", id: FACT, deleted: 2 });
    expect((await ask(["memory", "purge", "ababab", "-y"], [listed(fact, other), done])).requests).toEqual([
      "GET /v1/memory",
      `POST /v1/memory/user/${FACT}/purge`,
    ]);
    expect(await ask(["memory", "forget", "abab"], [listed(fact, other)])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("More than one fact"),
    });
  });
});

describe("talaria keys", () => {
  const key = {
    id: "key_1",
    label: "l",
    scopes: ["read"],
    createdAt: 1,
    profile: "0123456789abcdefghjkmnpqrs",
    key: "tal_new",
  };

  it("makes a key for this profile with scopes and an end, and writes only the key to stdout", async () => {
    const made = await ask(
      ["keys", "make", "--label", "l", "--scopes", "read,write", "--days", "1"],
      [answerJson(201, key)],
    );
    expect({ code: made.code, stdout: made.stdout }).toEqual({ code: 0, stdout: "tal_new\n" });
    expect(made.requests[0]).toMatch(
      /^POST \/v1\/keys {"profile":"me","label":"l","scopes":\["read","write"\],"expiresAt":\d+}$/,
    );
    expect(await ask(["keys", "make", "--scopes", "all"], [])).toMatchObject({ code: 2, requests: [] });
  });

  it("rotates a key after a question, with the old secret valid for a while", async () => {
    const { code, requests } = await ask(["keys", "rotate", "key_1", "--grace", "60", "-y"], [answerJson(200, key)]);
    expect(code).toBe(0);
    expect(requests).toEqual(['POST /v1/keys/key_1/rotate {"graceSeconds":60}']);
    expect(await ask(["keys", "rotate", "key_1"], [])).toMatchObject({ code: 2, requests: [] });
  });
});

describe("talaria dashboard", () => {
  const made = () => answerJson(201, { code: "tlink_p_s", expiresAt: Date.now() + 600_000 });

  it("writes only the link to stdout, and opens nothing", async () => {
    const { code, stdout, stderr, requests } = await ask(["dashboard"], [made()]);
    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#\/sign-in\/tlink_p_s\n$/);
    expect([code, stderr]).toEqual([0, "Open this link within 10 min. It signs one browser in, once.\n"]);
    expect(requests).toEqual(['POST /v1/sign-in-links {"label":"talaria dashboard"}']);
  });

  it("writes link and end as JSON, and fails with the server's reason", async () => {
    const { stdout } = await ask(["dashboard", "--json"], [made()]);
    expect(JSON.parse(stdout)).toEqual({
      link: expect.stringMatching(/\/#\/sign-in\/tlink_p_s$/),
      expiresAt: expect.any(Number),
    });
    const refused = await ask(["dashboard"], [answerProblem(403, "scope_missing")]);
    expect(refused).toMatchObject({ code: 3, stdout: "" });
  });
});

describe("verbs of what was learned", () => {
  it("decide several waiting changes, and fail when one of them went stale", async () => {
    const id = "ab12cd34ab12cd34ab12";
    const change = (state: string) => ({
      id,
      tool: "memory",
      origin: "user",
      reason: "taint",
      why: "w",
      summary: "s",
      seen: null,
      state,
      askedAt: 1,
      decidedAt: 2,
      outcome: null,
    });
    const answers = [answerJson(200, change("approved")), answerJson(200, change("stale"))];
    const { code, requests } = await ask(["pending", "approve", id, id], answers);
    expect(code).toBe(1);
    expect(requests).toEqual([`POST /v1/pending/${id} {"approve":true}`, `POST /v1/pending/${id} {"approve":true}`]);
  });

  it("pin, publish and restore a skill by one request each", async () => {
    const answer = [answerJson(200, head({ pinned: true }))];
    expect(await ask(["skills", "pin", "rain"], answer)).toMatchObject({
      stderr: "rain: active, pinned, revision 2\n",
      requests: ['POST /v1/skills/rain/pin {"pinned":true}'],
    });
    expect((await ask(["skills", "unpublish", "rain"], answer)).requests).toEqual([
      'POST /v1/skills/rain/publish {"public":false}',
    ]);
    expect((await ask(["skills", "restore", "rain", "1"], answer)).requests).toEqual([
      'POST /v1/skills/rain/restore {"rev":1}',
    ]);
  });

  it("send a skill's folder with its binary files, and write an export without replacing a file", async () => {
    const folder = join(tempFolder(), "rain");
    mkdirSync(join(folder, "scripts"), { recursive: true });
    writeFileSync(join(folder, "SKILL.md"), "# Rain");
    writeFileSync(join(folder, "scripts", "a.bin"), Buffer.from([255, 0]));
    const imported = answerJson(200, { name: "rain", rev: 1, warnings: ["w"], findings: [] });
    const { requests, stderr } = await ask(["skills", "import", folder, "--replace"], [imported]);
    expect(requests).toEqual([
      'POST /v1/skills/import?name=rain&replace=true {"files":{"SKILL.md":"# Rain","scripts/a.bin":{"base64":"/wA="}}}',
    ]);
    expect(stderr).toBe("Imported rain, revision 1.\n! w\n");
    const zip: Handler = (response) => void response.writeHead(200).end(Buffer.from([80, 75, 255]));
    const file = join(folder, "out.zip");
    expect(await ask(["skills", "export", "rain", "-o", file], [zip])).toMatchObject({ code: 0 });
    expect([...readFileSync(file)]).toEqual([80, 75, 255]);
    expect(await ask(["skills", "export", "rain", "-o", file], [zip])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("exists already"),
    });
  });
});

describe("talaria sessions export", () => {
  it("writes the conversation as Markdown, without control characters", async () => {
    const base = { v: 1, turn: 1, at: 1 };
    const entries = [{ ...base, n: 1, kind: "user", parts: [{ text: "Hi\x1b[2J", source: "principal" }] }];
    const { code, stdout, requests } = await ask(
      ["sessions", "export", SESSION],
      [answerJson(200, DETAIL), answerJson(200, { entries })],
    );
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^# Rain \[2Jtables\n\nSession 01A[^]*## You\n\nHi\[2J\n$/),
    });
    expect(requests).toHaveLength(2);
  });
});

describe("talaria prompt-size", () => {
  const size = { characters: 40, tokens: 10 };
  const measured = {
    epoch: 1,
    sections: [{ name: "identity", ...size }],
    tools: { count: 2, characters: 60, tokens: 20 },
    total: { characters: 100, tokens: 30 },
  };

  it("shows each part of the newest session, or of the one that is named", async () => {
    const { stdout, stderr, requests } = await ask(
      ["prompt-size"],
      [list("sessions", [INFO]), answerJson(200, measured)],
    );
    expect(requests).toEqual(["GET /v1/sessions", `GET /v1/sessions/${SESSION}/prompt`]);
    expect(stdout.split("\n").map((row) => row.split(/\s{2,}/).join("|"))).toEqual([
      "part|characters|tokens (estimated)",
      "identity|40|10",
      "(2 tools)|60|20",
      "all, in every model call|100|30",
      "",
    ]);
    expect(stderr).toBe("");
    const named = await ask(
      ["prompt-size", "S1", "--json"],
      [answerJson(200, { ...measured, epoch: 0, sections: [] })],
    );
    expect(named.requests).toEqual(["GET /v1/sessions/S1/prompt"]);
    expect(JSON.parse(named.stdout)).toEqual({ session: "S1", ...measured, epoch: 0, sections: [] });
  });

  it("says what to do where there is no session or no prompt", async () => {
    expect(await ask(["prompt-size"], [list("sessions", [])])).toMatchObject({
      code: 2,
      stderr: "There is no session yet. `talaria` begins one.\n",
    });
    expect(await ask(["prompt-size", "S1"], [answerJson(200, { ...measured, epoch: 0 })])).toMatchObject({
      stderr: "The session has no prompt yet: its first turn makes one.\n",
    });
  });
});

describe("talaria completion", () => {
  it("writes a script that names every verb and its actions", async () => {
    const { stdout } = await talaria(["completion", "bash"]);
    for (const { name } of VERBS) expect(stdout).toMatch(new RegExp(`^    ${name}\\)`, "m"));
    expect(stdout).toContain("complete -o default -F _talaria talaria");
  });
});

describe("docs/GUIDE.md", () => {
  it("has the exit codes of the program, and its table of verbs", () => {
    const guide = readFileSync(join(import.meta.dirname, "../../docs/GUIDE.md"), "utf8");
    for (const table of [renderExitTable(), renderVerbTable(VERBS)]) expect(guide).toContain(table);
  });
});
