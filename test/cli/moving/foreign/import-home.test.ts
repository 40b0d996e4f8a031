// `talaria import hermes` against a server in memory that keeps what it is given: what comes, what is refused, and that a repetition changes
// nothing. Nothing is posted that would run.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import type { Client } from "../../../../cli/connection/client.ts";
import { UnreachableError } from "../../../../cli/connection/http.ts";
import { importHome } from "../../../../cli/moving/foreign/import-home.ts";
import type { ForeignHome } from "../../../../core/moving/foreign/foreign-home.ts";
import { memoryId } from "../../../../core/schemas/memory.ts";
import { type Handler, type SeenRequest, answerJson, answerProblem, startFakeApi } from "../../../support/fake-api.ts";
import { talaria } from "../../../support/run-talaria.ts";
import { createTempFolders } from "../../../support/temp-folders.ts";

const tempFolder = createTempFolders();
const SHA = "ab".repeat(32);

type Body = Record<string, never> & {
  name: string;
  from: object;
  store: string;
  content: string;
  prompt: string;
  text: string;
};

/** As far as the import asks. `posted`: what it was given, in order. */
function createServer() {
  const posted: string[] = [];
  const skills = new Map<string, { from: object }>();
  const facts: object[] = [];
  const jobs: object[] = [];
  const personalities: object[] = [];
  const preview = (name: string) => ({
    ...{
      name,
      description: "d",
      category: "",
      exists: false,
      files: {},
      contract: null,
      dependencies: [],
      warnings: [],
    },
    findings:
      name === "evil"
        ? [
            {
              path: "SKILL.md",
              line: 3,
              column: 1,
              severity: "high",
              category: "c",
              pattern: "p",
              reason: "it gives orders",
            },
          ]
        : [],
  });
  const answer = ({ method, path, body }: SeenRequest): Handler => {
    const [route = "", query = ""] = path.split("?");
    const name = new URLSearchParams(query).get("name") ?? route.split("/").at(-1)!;
    const given = (body === "" ? {} : JSON.parse(body)) as Body;
    if (method === "GET") {
      if (route === "/v1/skills") return answerJson(200, { skills: [] });
      if (route === "/v1/memory") return answerJson(200, { entries: facts, usage: {}, purged: [] });
      if (route === "/v1/personalities") return answerJson(200, { personalities });
      if (route === "/v1/jobs") return answerJson(200, { jobs });
      const skill = skills.get(name);
      return skill ? answerJson(200, toDetail(name, skill.from)) : answerProblem(404, "not_found");
    }
    if (route === "/v1/skills/import/preview") return answerJson(200, preview(name));
    posted.push(`${method} ${route} ${given.name ?? given.content ?? ""}`.trim());
    if (route === "/v1/skills/import") {
      skills.set(name, { from: given.from });
      return answerJson(200, { name, rev: 1, warnings: [], findings: [] });
    }
    if (route === "/v1/memory") {
      const { store, content: text } = given;
      if (text.includes("evil")) return answerProblem(422, "memory_refused");
      const id = memoryId(text);
      facts.push({
        id,
        store,
        text,
        since: 1,
        origin: "foreground",
        adds: ["a"],
        outside: false,
        hidden: false,
        findings: [],
      });
      return answerJson(201, { store, id, existed: false });
    }
    if (route.startsWith("/v1/personalities/")) {
      personalities.push({ description: "", text: given.text, name, own: true });
      return answerJson(200, personalities[0]);
    }
    if (route === "/v1/jobs" && "paused" in given) {
      const job = toJob(given);
      jobs.push(job);
      return answerJson(201, job);
    }
    return answerJson(500, {});
  };
  const always = new Proxy({} as Record<string, Handler>, {
    get: (): Handler => (response, request) => answer(request)(response, request),
  });
  return { posted, always };
}

function toDetail(name: string, from: object) {
  const head = {
    ...{
      v: 1,
      name,
      seq: 1,
      rev: 1,
      text: SHA,
      description: "d",
      category: "",
      state: "trial",
      pinned: false,
      origin: "user",
    },
    ...{ files: {}, citations: [], op: "o", createdAt: 1, revisedAt: 1, updatedAt: 1, from },
  };
  return { name, head, traits: { tags: [], parameters: {}, dependencies: [] }, contract: null, files: {} };
}

function toJob({ name, prompt }: Body) {
  return {
    ...{
      id: "j000000000001",
      name,
      prompt,
      schedule: "0 8 * * 1",
      timeZone: "UTC",
      understood: "",
      createdAt: 1,
      changedAt: 1,
    },
    ...{
      skills: [],
      contextFrom: [],
      deliver: null,
      gate: null,
      repeat: null,
      failure: {},
      author: { by: "owner" },
      nextAt: 1,
    },
    ...{
      paused: { cause: "person", why: "x", at: 1 },
      finishedAt: null,
      failures: 0,
      retry: null,
      ran: 0,
      due: null,
      running: null,
    },
  };
}

it("a home comes once: what is refused is told, jobs are paused, and a repetition changes nothing", async () => {
  const home = tempFolder();
  const files: Record<string, string> = {
    "skills/rain/SKILL.md": "---\nname: rain\ndescription: d\n---\n\nx\n",
    "skills/evil/SKILL.md": "---\nname: evil\ndescription: d\n---\n\nx\n",
    "memories/MEMORY.md": "One.\n§\nAn evil order.",
    "SOUL.md": "You are calm.",
    ".env": "KEY=secret-never-read",
    "cron/jobs.json": JSON.stringify([
      { id: "a", name: "News", prompt: "Sum up", schedule: { kind: "cron", expr: "0 8 * * 1" } },
    ]),
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(home, path, ".."), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  const { posted, always } = createServer();
  await using api = await startFakeApi([], always);
  const run = (...more: string[]) => talaria(["import", "hermes", home, "--url", api.url, "--key", "tal_x", ...more]);

  const dry = await run("--dry-run", "--only", "skills,memory,personality");
  expect({ code: dry.code, posted }).toEqual({ code: 0, posted: [] });
  expect(dry.stdout).toBe("skills: 1 would come\nfacts: 2 would come\npersonality: 1 would come\n");

  const first = await run();
  expect(first.code).toBe(0);
  expect(first.stdout).toBe("skills: 1 came\nfacts: 1 came\npersonality: 1 came\njobs: 1 came\n");
  expect(first.stderr).toContain('skill "evil": the scanner found "it gives orders" in SKILL.md, line 3');
  expect(first.stderr).toContain('fact "An evil order."');
  expect(first.stderr).toContain('".env": secrets are never read');
  expect(first.stderr).toContain("Nothing of it runs");
  expect(posted).toEqual([
    ...["POST /v1/skills/import rain", "POST /v1/memory One.", "POST /v1/memory An evil order."],
    ...["PUT /v1/personalities/hermes", "POST /v1/jobs news"],
  ]);

  const second = await run();
  expect(second.stdout).toBe(
    "skills: 1 there already\nfacts: 1 there already\npersonality: 1 there already\njobs: 1 there already\n",
  );
  expect(second.stderr).toContain("Nothing was changed.");
  expect(posted.slice(5)).toEqual(["POST /v1/memory An evil order."]);
  expect((await run("--only", "skils")).stderr).toContain("--only takes some of skills, memory");
});

it("a conversation comes although the server was away when it was asked for", async () => {
  const conversation = { id: "c", title: "", createdAt: 1, messages: [] };
  const home: ForeignHome = {
    ...{ program: "claude", skills: [], facts: [], personality: null, jobs: [], notes: [] },
    conversations: () => [conversation],
  };
  let asked = 0;
  const call = async () => {
    asked += 1;
    if (asked === 1) throw new UnreachableError("The server was away.");
    return { from: null };
  };
  vi.useFakeTimers();
  const moved = importHome({ call } as unknown as Client, home, { only: ["sessions"] });
  await vi.advanceTimersByTimeAsync(1_000);
  vi.useRealTimers();
  const report = await moved;
  expect([asked, report.there.sessions]).toEqual([2, ["c"]]);
});
