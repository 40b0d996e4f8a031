// Homes of other programs, read from files of our own in their documented layouts.
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { readEntries, readMarkdownFacts, splitFact } from "../../../core/moving/foreign/facts.ts";
import type { ForeignHome, MoveNote } from "../../../core/moving/foreign/foreign-home.ts";
import { nameJobs, readHermesJobs } from "../../../core/moving/foreign/jobs.ts";
import { readClaude } from "../../../core/moving/foreign/read-claude.ts";
import { readHermes } from "../../../core/moving/foreign/read-hermes.ts";
import { readOpenClaw } from "../../../core/moving/foreign/read-openclaw.ts";
import { toConversation, toPages } from "../../../core/moving/foreign/transcripts.ts";
import { FIXED } from "../../../core/limits.ts";
import type { TranscriptMessage } from "../../../core/schemas/sessions/transcript.ts";
import { toForeignFiles } from "../../support/foreign-files.ts";

const NOW = Date.UTC(2026, 5, 1);
const skillMd = (name: string, body = "Do it.") =>
  `---\nname: ${name}\ndescription: What ${name} is for\n---\n\n${body}\n`;
const lines = (...rows: object[]) => rows.map((row) => JSON.stringify(row)).join("\n");

function conversationsOf(home: ForeignHome) {
  const notes: MoveNote[] = [];
  return { found: [...home.conversations((note) => notes.push(note))], notes };
}

describe("a home of Hermes", () => {
  const shipped = skillMd("shipped");
  const md5 = createHash("md5").update("SKILL.md").update(shipped).digest("hex");
  const files = toForeignFiles(
    {
      "skills/ops/certs/SKILL.md": skillMd("certs"),
      "skills/ops/certs/scripts/run.sh": "echo hello\n",
      "skills/ops/certs/__pycache__/x.pyc": "x",
      "skills/.archive/old/SKILL.md": skillMd("old"),
      "skills/shipped/SKILL.md": shipped,
      "skills/.hub/quarantine/bad/SKILL.md": skillMd("bad"),
      "skills/.bundled_manifest": `shipped:${md5}\n`,
      "skills/.usage.json": JSON.stringify({
        certs: { use_count: 7, last_used_at: "2026-05-04T10:00:00+00:00", pinned: true, state: "active" },
        old: "broken",
      }),
      "skill-bundles/lab.yaml": "name: lab\nskills: [certs, old]\ninstruction: Begin.\n",
      "memories/MEMORY.md": "The hosts are fir and oak.\n§\n- one\n- two",
      "memories/USER.md": "Prefers short answers.",
      "SOUL.md": "<!-- a comment -->\nYou are calm.\n",
      "config.yaml": "timezone: Europe/Berlin\nmcp_servers:\n  tracker: {url: x}\n",
      "cron/jobs.json": JSON.stringify({
        jobs: [
          {
            id: "a",
            name: "News!",
            prompt: "Sum up",
            schedule: { kind: "cron", expr: "0 8 * * 1" },
            skills: ["certs"],
          },
          { id: "b", name: "News?", prompt: "Again", schedule: { kind: "interval", minutes: 90 }, context_from: ["a"] },
          { id: "c", name: "Past", prompt: "x", schedule: { kind: "once", run_at: "2020-01-01T00:00:00+00:00" } },
          { id: "d", name: "Script", script: "x.sh", no_agent: true, schedule: { kind: "interval", minutes: 5 } },
          "broken",
        ],
      }),
    },
    [".env", "auth.json", "hooks"],
  );
  const home = readHermes(files, null, NOW);

  it("has its skills with their usage, without those that ship with it", () => {
    expect(
      home.skills.map(({ folder, from, files: own }) => [folder, Object.keys(own), { ...from, hash: "" }]),
    ).toEqual([
      [
        "skills/ops/certs",
        ["SKILL.md", "scripts/run.sh"],
        { source: "hermes", identifier: "ops/certs", hash: "", uses: 7, lastUsedDay: "2026-05-04", pinned: true },
      ],
      ["skills/.archive/old", ["SKILL.md"], { source: "hermes", identifier: "old", hash: "", archived: true }],
      ["skill-bundles/lab.yaml", ["SKILL.md"], { source: "hermes", identifier: "skill-bundles/lab.yaml", hash: "" }],
    ]);
    expect(home.skills[2]!.files["SKILL.md"]).toContain('bundle: "certs, old"');
  });

  it("has its facts, its personality and the jobs that have an equal", () => {
    expect(home.facts.map(({ store, text }) => `${store}: ${text}`)).toEqual([
      ...["memory: The hosts are fir and oak.", "memory: one", "memory: two"],
      "user: Prefers short answers.",
    ]);
    expect(home.personality).toEqual({ path: "SOUL.md", text: "You are calm." });
    expect(home.jobs.map(({ id, schedule, timeZone, contextFrom }) => [id, schedule, timeZone, contextFrom])).toEqual([
      ["a", "0 8 * * 1", "Europe/Berlin", []],
      ["b", "every 90m", "Europe/Berlin", ["a"]],
    ]);
  });

  it("says what stays, and never names what a secret is", () => {
    const noted = home.notes.map(({ kind, what, why }) => `${kind} ${what}: ${why}`);
    expect(noted).toContain('left_out ".env", "auth.json": secrets are never read');
    expect(noted).toContain("no_equal job Past: its time has passed");
    expect(noted).toContain("no_equal job Script: it runs a script without the agent");
    expect(noted).toContain('no_equal MCP servers: "tracker": they may hold keys and run commands');
    expect(noted).toContain(
      "left_out 1 skills that ship with Hermes: nobody has changed them, and Talaria has its own",
    );
    expect(noted.some((note) => note.startsWith('no_equal "hooks"'))).toBe(true);
  });

  it("has its conversations from rows that may hold anything", () => {
    const rows = {
      sessions: () => [
        { id: "one", source: "cli", title: "Rain", started_at: 1_772_360_100.25, model: "m" },
        { id: "inner", source: "subagent", started_at: 1 },
        { id: 7, source: "cli" },
      ],
      messages: () => [
        {
          role: "user",
          content: '\u0000json:[{"type":"text","text":"Hi"},{"type":"image_url"}]',
          timestamp: 1_772_360_100.25,
        },
        {
          role: "assistant",
          content: null,
          tool_calls: '[{"id":"c","function":{"name":"t","arguments":"{\\"a\\":1}"}},7]',
        },
        { role: "tool", content: "out", tool_call_id: "c", tool_name: "t" },
        { role: "assistant", content: "undone", active: 0, compacted: 0 },
        { role: "system", content: "no" },
      ],
    };
    const { found, notes } = conversationsOf(readHermes(files, rows, NOW));
    const at = 1_772_360_100_250;
    expect(found).toEqual([
      {
        ...{ id: "one", title: "Rain", createdAt: at },
        messages: [
          { role: "user", text: "Hi\n(an image, which is not here)", at },
          { role: "assistant", text: "", at, calls: [{ id: "c", name: "t", args: { a: 1 } }], model: "m" },
          { role: "tool", text: "out", at, callId: "c", name: "t" },
        ],
      },
    ]);
    expect(notes.map(({ what }) => what)).toEqual(["1 conversations of agents with agents"]);
  });

  it("has each message of a compacted conversation once, and what was said twice twice", () => {
    const said = (role: string, content: string, timestamp: number, compacted = 0) => ({
      ...{ role, content, timestamp, compacted, active: compacted === 1 ? 0 : 1 },
    });
    const rows = {
      sessions: () => [{ id: "one", source: "cli", title: "Rain", started_at: 1 }],
      messages: () => [
        ...[said("user", "Hi", 10, 1), said("assistant", "Hello", 11, 1), said("user", "Go on", 20, 1)],
        said("assistant", "Done", 21, 1),
        // The compaction: what it keeps has its own time, or one microsecond after another.
        ...[said("user", "Hi", 10), said("user", "Summary", 30.000001), said("user", "Go on", 30.000002)],
        said("assistant", "Done", 30.000003),
        ...[said("user", "Go on", 40), said("assistant", "Done", 41)],
      ],
    };
    const [found] = conversationsOf(readHermes(files, rows, NOW)).found;
    expect(found!.messages.map(({ text }) => text)).toEqual([
      ...["Hi", "Hello", "Go on", "Done", "Summary", "Go on", "Done"],
    ]);
  });

  it("has each job of a file that has an id twice", () => {
    const job = (name: string) => ({ id: "a", name, prompt: name, schedule: { kind: "interval", minutes: 5 } });
    const jobs = readHermesJobs([job("One"), job("Two")], { now: NOW, notes: [] });
    expect([...nameJobs(jobs).values()]).toEqual(["one", "two"]);
  });

  it("is read without an error when every file in it is broken", () => {
    const broken = Object.fromEntries(files.paths.map((path) => [path, new Uint8Array([0xff, 0x7b, 0x22, 0, 0x2d])]));
    const read = readHermes(toForeignFiles(broken), null, NOW);
    expect(read.jobs).toEqual([]);
    expect(read.notes.filter(({ why }) => why === "it is not JSON").map(({ what }) => what)).toContain(
      '"cron/jobs.json"',
    );
  });
});

describe("a home of OpenClaw", () => {
  const home = readOpenClaw(
    toForeignFiles({
      "workspace/SOUL.md": "Be kind.",
      "workspace/USER.md": "# USER\n\n- **Name:**\n- **Call them:** Ada\n",
      "workspace/MEMORY.md": "# Memory\n\nThe lab is in Oslo.\n\n- Uses fish\n  as a shell.\n",
      "workspace/memory/2026-02-01.md": "Moved the server.",
      "workspace/skills/rain/SKILL.md": skillMd("rain"),
      "workspace/AGENTS.md": "Always be careful.",
      "openclaw.json": '{"mcp":{"servers":{"x":{}}}}',
      "cron/jobs.json": JSON.stringify({
        jobs: [
          {
            id: "1",
            name: "Brief",
            schedule: { kind: "cron", expr: "0 7 * * *", tz: "Asia/Tokyo" },
            payload: { message: "Brief me" },
          },
          { id: "2", name: "Odd", schedule: { kind: "moon" }, payload: { message: "x" } },
        ],
      }),
      "agents/main/sessions/s1.jsonl": `${lines(
        { type: "session", version: 3, id: "s1", timestamp: "2026-02-02T10:00:00.000Z" },
        {
          type: "message",
          timestamp: "2026-02-02T10:00:01.000Z",
          message: { role: "user", content: [{ type: "text", text: "Hi" }] },
        },
        {
          type: "message",
          timestamp: "2026-02-02T10:00:02.000Z",
          message: {
            role: "assistant",
            model: "m",
            content: [
              { type: "thinking", thinking: "…" },
              { type: "toolCall", id: "t", name: "exec", arguments: { c: 1 } },
            ],
          },
        },
        {
          type: "message",
          timestamp: "2026-02-02T10:00:03.000Z",
          message: {
            role: "toolResult",
            toolCallId: "t",
            toolName: "exec",
            isError: true,
            content: [{ type: "text", text: "no" }],
          },
        },
      )}\n{"cut`,
    }),
    NOW,
  );

  it("is read: skills, facts, daily notes as conversations, jobs with their zones", () => {
    expect(home.skills.map(({ from }) => from.identifier)).toEqual(["rain"]);
    expect(home.facts).toEqual([
      { store: "memory", text: "The lab is in Oslo." },
      { store: "memory", text: "Uses fish as a shell." },
      { store: "user", text: "**Call them:** Ada" },
    ]);
    expect(home.jobs.map(({ name, schedule, timeZone }) => [name, schedule, timeZone])).toEqual([
      ["Brief", "0 7 * * *", "Asia/Tokyo"],
    ]);
    const { found, notes } = conversationsOf(home);
    expect(found.map(({ id, title, messages }) => [id, title, messages.map(({ role }) => role)])).toEqual([
      ["main/s1", "Hi", ["user", "assistant", "tool"]],
      ["workspace/memory/2026-02-01.md", "Notes of 2026-02-01", ["user"]],
    ]);
    expect(notes.map(({ why }) => why)).toEqual(["1 lines are not JSON, and were left out"]);
    expect(home.notes.map(({ what }) => what)).toContain('"workspace/AGENTS.md"');
  });
});

describe("a home of Claude Code", () => {
  const at = "2026-03-01T10:00:00.000Z";
  const home = readClaude(
    toForeignFiles({
      "CLAUDE.md": "Use tabs.\n",
      "skills/rain/SKILL.md": skillMd("rain"),
      "commands/git/tidy.md": "---\ndescription: Tidy up\n---\nTidy the branch $ARGUMENTS.\n",
      "agents/helper.md": "x",
      "settings.json": '{"mcpServers":{"y":{}}}',
      "projects/-home-ada/memory/MEMORY.md": "- The build takes nine minutes.\n",
      "projects/-home-ada/u1.jsonl": lines(
        { type: "summary", summary: "Rain" },
        { type: "user", timestamp: at, message: { role: "user", content: "Hi" } },
        {
          type: "assistant",
          timestamp: at,
          message: {
            role: "assistant",
            model: "m",
            content: [{ type: "tool_use", id: "t", name: "Bash", input: { c: 1 } }],
          },
        },
        {
          type: "user",
          timestamp: at,
          message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "ok" }] },
        },
        { type: "user", isMeta: true, timestamp: at, message: { role: "user", content: "hidden" } },
      ),
      "projects/-home-ada/agent-1.jsonl": "",
    }),
  );

  it("is read: commands as skills, CLAUDE.md as a personality, its own memory as facts", () => {
    expect(home.skills.map(({ from }) => from.identifier)).toEqual(["rain", "commands/git/tidy.md"]);
    expect(home.skills[1]!.files["SKILL.md"]).toContain('name: "git-tidy"\ndescription: "Tidy up"');
    expect(home.personality?.text).toBe("Use tabs.");
    expect(home.facts).toEqual([{ store: "memory", text: "The build takes nine minutes." }]);
    expect(home.notes.map(({ what }) => what)).toEqual(['MCP servers: "y"', '"agents"', '"settings.json"']);
    const { found } = conversationsOf(home);
    expect(found.map(({ id, title, messages }) => [id, title, messages.map(({ role, name }) => name ?? role)])).toEqual(
      [["u1", "Rain", ["user", "assistant", "Bash"]]],
    );
  });
});

describe("facts", () => {
  it("are one sentence or a few: long entries are divided, and no word is lost", () => {
    const long = Array.from({ length: 90 }, (_, n) => `The host number ${n} is called fir.`).join(" ");
    const pieces = splitFact(long);
    expect(pieces.length).toBeGreaterThan(2);
    expect(pieces.every((piece) => piece.length <= FIXED.memoryEntryChars)).toBe(true);
    expect(pieces.join(" ")).toBe(long);
    expect(splitFact("x".repeat(2_500)).map(({ length }) => length)).toEqual([1_000, 1_000, 500]);
    const notes: MoveNote[] = [];
    expect(readEntries("a\n§\na\n§\n\n§\nb", "memory", notes).map(({ text }) => text)).toEqual(["a", "b"]);
    expect(readMarkdownFacts("<!-- hidden -->\n# Title\ntext <!-- never closed\n- x", "memory", notes)).toEqual([
      { store: "memory", text: "text" },
    ]);
  });
});

describe("transcripts", () => {
  it("are cut into pages at turns, and each page fits into a request", () => {
    const message = (role: "user" | "assistant"): TranscriptMessage => ({ role, text: "é".repeat(90_000), at: 1 });
    const messages = Array.from({ length: 9 }, () => [message("user"), message("assistant")]).flat();
    const pages = toPages(messages);
    expect(pages.flat()).toEqual(messages);
    expect(pages.map((page) => page[0]!.role)).toEqual(pages.map(() => "user"));
    for (const page of pages) expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(FIXED.requestBytes);
  });

  it("say what was cut", () => {
    const notes: MoveNote[] = [];
    const raw = {
      id: "x",
      title: "",
      createdAt: null,
      messages: [{ role: "user" as const, text: "y".repeat(200_000), at: null }],
    };
    const made = toConversation(raw, (note) => notes.push(note))!;
    expect([made.messages[0]!.text.length, made.title, made.createdAt]).toEqual([100_000, `${"y".repeat(60)}…`, 0]);
    expect(notes.map(({ why }) => why)).toEqual(["1 messages were too long and were cut"]);
  });
});
