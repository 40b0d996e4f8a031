// Flows whose turns read what is not in the workspace: skills, the web, earlier sessions, MCP servers, images, an external memory, and what a
// person answers and decides.
import type { Tool } from "../../../../core/agent/contract.ts";
import { succeed } from "../../../../core/agent/tool-result.ts";
import * as z from "zod";
import { ok } from "../../../../core/errors.ts";
import type { MemoryProvider } from "../../../../core/memory/provider.ts";
import type { Outbound } from "../../../../core/outbound/outbound.ts";
import type { SessionInfo } from "../../../../core/schemas/api.ts";
import { conditionsOf } from "../../../../core/skills/format/conditions.ts";
import type { SearchProvider } from "../../../../core/tools/web/search/provider.ts";
import { createSkillStore } from "../../../../stores/skills/skill-store.ts";
import { makePng, toDataUrl } from "../../images.ts";
import { createFakeServer } from "../../mcp/fake-server.ts";
import { toListedTool } from "../../mcp/json-server.ts";
import { must } from "../../session/scripted-session.ts";
import { PROFILE, SESSION } from "../../session/session-harness.ts";
import { createScriptedModel } from "../../wires/scripted-model.ts";
import { type RecordedWorld, type WorldOptions, createRecordedWorld } from "../recorded-world.ts";
import { sandbox } from "./workspace-flows.ts";
import { type Flow, call, code, done, read, run, say, together, write } from "./flow.ts";

/** Puts a skill into the profile's library, as a person does. */
export async function putSkill(
  { bucket, clock }: RecordedWorld,
  name: string,
  body: string,
  description = `About ${name}.`,
  origin: "user" | "review" = "user",
) {
  const stores = { bucket, profile: PROFILE, clock, random: () => 0.5, swapMs: 1_000 };
  const skills = createSkillStore({ ...stores, readConditions: conditionsOf });
  const files = { "SKILL.md": `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}\n` };
  const value = { files, description, state: "active", origin, citations: [] as string[] } as const;
  must(await skills.change({ name, op: `put ${name} ${body}`, since: 0, decide: () => ok(value) }));
  return skills;
}

const PAGE =
  "<html><head><title>Kilns</title></head><body><h1>Kilns</h1><p>They fire at 1260 degrees.</p></body></html>";

function createWeb(): NonNullable<WorldOptions["host"]>["web"] {
  const refuse = () => {
    throw new Error("no flow streams");
  };
  let asked = 0;
  const outbound: Outbound = {
    async request(url) {
      const isSearch = url.includes("search.example");
      const body = isSearch
        ? JSON.stringify({ hits: [{ title: `Hit ${++asked}`, url: "https://a.example/", snippet: "Hot." }] })
        : PAGE;
      const headers = new Headers({ "content-type": isSearch ? "application/json" : "text/html" });
      return ok({ url, status: 200, headers, bytes: new TextEncoder().encode(body) });
    },
    fetch: refuse,
    limitedFetch: refuse,
  };
  const search: SearchProvider = {
    name: "brave",
    toRequest: (query) => ({
      url: `https://search.example/?q=${encodeURIComponent(query)}`,
      method: "GET",
      headers: {},
    }),
    readHits: (reply) => (reply as { hits: { title: string; url: string; snippet: string }[] }).hits,
  };
  return { outbound, search };
}

const EARLIER = "01J00000000000000000000001";
const AT = Date.parse("2026-01-02T08:00:00Z");
const info = (session: string, title: string): SessionInfo => ({ session, title, learning: "on", createdAt: AT });

/** A tool of the deployment that stays inside, and asks. */
function createMachine(): Tool<{ command: string }> {
  return {
    ...{ name: "machine", description: "Runs.", parameters: z.strictObject({ command: z.string() }) },
    ...{ effect: "unkeyed", staysInside: true },
    gate: ({ command }) => ({
      ...{ verdict: "ask", summary: command, reasons: ["It deletes."] },
      allowance: { exact: command, family: command.split(" ")[0]! },
    }),
    run: async ({ command }) => succeed({ exit_code: 0, ran: command }),
  };
}

const machine = (command: string) => call("machine", { command });

export const readingFlows: Flow[] = [
  {
    title: "skills that are listed, viewed twice, named by the person, and changed meanwhile by others",
    async record() {
      const world = await createRecordedWorld([
        ...[call("skills_list"), call("skill_view", { name: "kilns" }), call("skill_view", { name: "kilns" }), done],
        ...[call("skill_view", { name: "kilns" }), run("echo 1"), done],
        ...[run("echo 2"), done],
        ...[call("skill_view", { name: "kilns" }), done],
        ...[call("skill_view", { name: "nobody" }), done],
      ]);
      await putSkill(world, "kilns", "Fire at 1260 degrees.");
      await world.say("Look at the skills.");
      await world.say("Again.");
      await world.say("/kilns please");
      await putSkill(world, "glazes", "Dip twice.");
      world.clock.advance(120_000);
      await world.say("And now?");
      await world.say("And the other?");
      return world;
    },
  },
  {
    title: "a skill that is recalled with the first message",
    async record() {
      const world = await createRecordedWorld([run("echo 1"), done, done, run("echo 2"), done]);
      const skills = await putSkill(
        world,
        "ledgers",
        "Pass `--encoding latin1`.",
        "Exporting a ledger for the auditors.",
        "review",
      );
      await skills.noteUse({ ledgers: { uses: 2, successes: 2, failures: 0, lastUsedDay: "2026-01-01" } });
      await world.say("Please export the ledger of March for our auditors.");
      await world.say("Thanks.");
      world.clock.advance(8 * 3_600_000);
      await world.say("Please export the ledger of April for our auditors.");
      return world;
    },
  },
  {
    title: "pages and searches on the web, of which one is asked twice with two answers",
    async record() {
      const world = await createRecordedWorld(
        [
          together(call("web_search", { query: "kiln" }), call("web_search", { query: "glaze" })),
          call("web_search", { query: "kiln" }),
          call("web_extract", { urls: ["https://kilns.example/"] }),
          write("notes.md", "They fire at 1260 degrees.\n"),
          done,
          ...[call("web_search", { query: "kiln" }), run("cat notes.md"), done],
        ],
        { host: { web: createWeb()! } },
      );
      await world.say("Read about kilns.");
      await world.say("Once more.");
      return world;
    },
  },
  {
    title: "earlier sessions that are searched",
    async record() {
      const world = await createRecordedWorld(
        [
          call("session_search", { query: "kiln temperature" }),
          call("session_search", {}),
          done,
          ...[call("session_search", { query: "Done" }), done],
        ],
        { sessions: [info(EARLIER, "The kiln"), info(SESSION, "")] },
      );
      world.parts.split.put({
        ...{ session: EARLIER, turn: 1, title: "The kiln" },
        messages: [{ n: 1, role: "user", at: AT, text: "Our kiln fires at 1260 degrees." }],
      });
      await world.say("How hot is our kiln?");
      await world.life().wake();
      await world.say("What did we say?");
      return world;
    },
  },
  {
    title: "an MCP server that is read, whose tool that acts is another matter",
    async record() {
      let asked = 0;
      const tools = [toListedTool("act"), toListedTool("look", { annotations: { readOnlyHint: true } })];
      const clock = { now: () => Date.parse("2026-01-05T09:00:00Z") };
      const fake = createFakeServer(tools, () => clock.now());
      fake.server.answer = (name) => ({ content: [{ type: "text", text: `${name} ${++asked}` }] });
      fake.set();
      const world = await createRecordedWorld(
        [
          call("mcp_fake_look", { a: "1" }),
          call("mcp_fake_look", { a: "1" }),
          run("echo x > a.txt"),
          done,
          ...[call("mcp_fake_act"), done],
          ...[read("a.txt"), done],
        ],
        { readProfileSettings: async () => structuredClone(fake.settings), mcp: fake.port },
      );
      for (const text of ["Look.", "Act.", "Read."]) await world.say({ text, settingsRev: fake.settings.rev });
      return world;
    },
    not: { 2: "effect_outside" },
  },
  {
    title: "code that reads outside and writes inside",
    async record() {
      const inner = `
        const found = await tools.web_search({ query: "kiln" });
        const again = await tools.web_search({ query: "kiln" });
        await tools.write_file({ path: "found.json", content: JSON.stringify([found, again]) });
        console.log("written");
      `;
      const world = await createRecordedWorld([code(inner), done, run("cat found.json"), done], {
        host: { web: createWeb()! },
        sandbox: sandbox(),
      });
      await world.say("Find it by code.");
      await world.say("Look.");
      return world;
    },
    not: { 1: "result_not_kept" },
  },
  {
    title: "images in messages, for a model that sees",
    async record() {
      const png = makePng(800, 600, { bytes: 2_000 });
      const model = createScriptedModel([run("echo a"), say("A cat."), say("Still a cat.")], {
        sees: true,
        imageTokens: () => 640,
      });
      const world = await createRecordedWorld(model);
      must(world.engine().putFile("shots/a.png", png));
      await world.say({ text: "What is this?", images: [{ data: toDataUrl(png), name: "cat.png" }] });
      await world.say({ text: "And this?", images: [{ path: "shots/a.png" }] });
      return world;
    },
  },
  {
    title: "images in messages, for a model without eyes",
    async record() {
      const eyes = createScriptedModel([say("It is a cat."), say("A dog.")], { name: "scripted:eyes", sees: true });
      const world = await createRecordedWorld([run("echo a"), say("A cat."), done], { models: { vision: [eyes] } });
      const images = [{ data: toDataUrl(makePng(80, 60)) }];
      await world.say({ text: "What is this?", images });
      await world.say("Sure?");
      return world;
    },
  },
  {
    title: "an external memory that recalls for each message",
    async record() {
      let asked = 0;
      const memoryProvider: MemoryProvider = {
        name: "double",
        prefetch: async () => ok([`The kiln fires at ${++asked} degrees`]),
        sync: async () => ok(null),
        preCompaction: async () => ok(""),
        onWrite: async () => ok(null),
        eraseProfile: async () => ok({ more: false }),
        tools: () => [],
      };
      const world = await createRecordedWorld([run("echo 1"), done, run("echo 2"), done], { memoryProvider });
      await world.say("How hot is the kiln?");
      await world.say("How hot is the kiln today?");
      return world;
    },
  },
  ...[false, true].map((isDecline): Flow => ({
    title: `a question to the person that is ${isDecline ? "declined" : "answered"}`,
    async record() {
      const ask = call("clarify", { question: "Which database?", choices: ["Postgres", "SQLite"] });
      const world = await createRecordedWorld([write("a.txt", "1"), ask, run("cat a.txt"), done, done]);
      await world.say("Set it up.");
      world.clock.advance(60_000);
      const [asked] = must(world.engine().listApprovals());
      must(
        await world
          .engine()
          .decideApproval(
            asked!.id,
            isDecline ? { approve: false, reason: "You choose." } : { answers: [{ choices: [2] }] },
          ),
      );
      await world.settle();
      await world.say("Thanks.");
      return world;
    },
  })),
  {
    title: "a question to the person that nobody answers in time",
    async record() {
      const ask = call("clarify", { question: "Which?", choices: ["A", "B"] });
      const world = await createRecordedWorld([ask, write("b.txt", "B"), done], {
        settings: { turn: { clarifyMs: 300_000 } },
      });
      await world.say("Set it up.");
      await world.drain();
      return world;
    },
  },
  {
    title: "changes of an instruction file that the person decides after the turn",
    async record() {
      const world = await createRecordedWorld([
        write("AGENTS.md", "Use tabs.\n"),
        run("ls"),
        done,
        ...[read("AGENTS.md"), done],
        ...[read("AGENTS.md"), done],
      ]);
      await world.say("Note it.");
      const [asked] = must(world.engine().listApprovals());
      must(await world.engine().decideApproval(asked!.id, { approve: true }));
      await world.say("And now?");
      world.clock.advance(7 * 3_600_000);
      await world.say("And tomorrow?");
      return world;
    },
  },
  {
    title: "calls that wait for the person, who allows one, refuses one, and allows the rest for the session",
    async record() {
      const script = [
        machine("rm a"),
        machine("rm b"),
        machine("npm test"),
        machine("npm run"),
        run("echo 1 > a.txt"),
        done,
      ];
      const world = await createRecordedWorld([...script, machine("npm start"), run("cat a.txt"), done], {
        tools: [createMachine()],
      });
      await world.say("Clean up.");
      for (const decision of [
        { approve: true },
        { approve: false, reason: "Not b." },
        { approve: true, scope: "session" },
      ] as const) {
        const asked = must(world.engine().listApprovals()).find(({ state }) => state === "waiting");
        must(await world.engine().decideApproval(asked!.id, decision));
        await world.settle();
        world.clock.advance(60_000);
      }
      await world.say("And start.");
      return world;
    },
  },
  {
    title: "calls that the approval model decides on",
    async record() {
      const judged = (decision: string) => ({
        ...say(`{"decision":"${decision}","reason":"It is so."}`),
        cost: { usdMicros: 7, source: "catalog" as const },
      });
      const judge = createScriptedModel([judged("approve"), judged("deny"), judged("approve")], {
        name: "scripted:judge",
      });
      const world = await createRecordedWorld([machine("rm a"), machine("rm b"), done, machine("rm c"), done], {
        tools: [createMachine()],
        models: { approval: [judge] },
        settings: { approvals: { mode: "smart" } },
      });
      await world.say("Clean up.");
      await world.say("And c.");
      return world;
    },
  },
  {
    title: "tools that act outside, beside turns that do not",
    async record() {
      const world = await createRecordedWorld([
        ...[call("memory", { action: "add", store: "user", content: "Likes short answers." }), done],
        ...[run("echo 1"), done],
      ]);
      await world.say("Remember it.");
      await world.say("Echo.");
      return world;
    },
    not: { 1: "effect_outside" },
  },
];
