// Two tenants of one deployment. One puts a secret word into everything that a profile can hold. The other one's model calls every tool
// it is offered, and the other one's key asks every route of the contract, with the first one's ids. The word never reaches the other, what
// is another's is answered like what never existed, and the first one's state stays as it was. A tool or a route without a case fails here.
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { toChildId } from "../../core/session/delegation/child-rows.ts";
import { HookEventType } from "../../core/schemas/profile/hooks.ts";
import {
  type Asked,
  type Cursors,
  type Route,
  type State,
  readAll,
  readRoutes,
  toRequests,
} from "../support/tenants/api-sweep.ts";
import { type Facts, SECRET, SERVER, inventFacts, withoutIds } from "../support/tenants/facts.ts";
import { HOSTILE, toHostileCalls } from "../support/tenants/hostile-calls.ts";
import { toCode } from "../support/tenants/mcp-double.ts";
import { listMcpTools, readMcp, toMcpRequests } from "../support/tenants/mcp-sweep.ts";
import type { Call } from "../support/tenants/obedient-model.ts";
import { ORDER, SETTLES, UNANSWERED, beginAccess, plant } from "../support/tenants/plant.ts";
import { type Tenant, type World, fieldsOf, startWorld } from "../support/tenants/two-profiles.ts";

/** Routes that show the owner the secret. */
const HELD_BY = [
  ...["listSessions", "readSession", "listEntries", "searchMessages", "readObservation", "listFiles", "getFile"],
  ...["readCheckpoint", "exportWorkspace", "listApprovals", "readApproval", "listAllowances", "readApprovalPolicy"],
  ...["listSkills", "readSkill", "listSkillRevisions", "readSkillRevision", "diffSkillRevision", "listMemory"],
  ...["listPending", "readPending", "readReview", "readLearning", "listJourney", "readLearningGraph", "readResponse"],
  ...[
    "listMcpServers",
    "listTools",
    "listPolicies",
    "listHooks",
    "readHook",
    "listWebhooks",
    "listChannels",
    "readChannel",
    "listChannelPeople",
    "readWebhook",
    ...["listRoles", "readRole", "listBoards"],
    ...["listJobs", "readJob"],
    "listPersonalities",
    "listTaps",
    "listChildren",
  ],
  ...["search_sessions", "read_memory", "get_turn", "prompts/get", "resources/read", "skills/get"].map(
    (of) => `mcp:${of}`,
  ),
];
/** The tools that work where the session does. */
const OF_PLACE = ["read_file", "write_file", "patch", "search_files", "terminal"];

let world: World;
let routes: Route[];
let owner: Tenant;
/** All others. */
const others: Tenant[] = [];
let facts: Facts;
let nothing: Facts;
let before: { state: State; cursors: Cursors };
/** Where the owner can say yes to `UNANSWERED`. */
let unanswered: string;
let planted = 0;
let atSite = 0;

beforeAll(async () => {
  let isOwners = true;
  world = await startWorld(() => (isOwners ? ORDER : "Nothing."));
  owner = await world.createTenant();
  routes = readRoutes((await owner.ask({ method: "GET", path: "/openapi.json" })).text);
  ({ facts, unanswered } = await plant(world, owner));
  nothing = inventFacts(facts);
  isOwners = false;
  before = await readOwner();
  planted = world.model.requests.length;
  atSite = world.site.requests.length;
}, 300_000);
afterAll(() => world?.close());

async function readOwner() {
  const { state, cursors } = await readAll(routes, facts, owner.ask);
  return { state: { ...state, ...(await readMcp(facts, owner.ask)) }, cursors };
}

const comeBack = (state: string, code: string) =>
  owner.ask({ method: "GET", path: `/v1/mcp/callback?${new URLSearchParams({ state, code })}` });

it("the secret is in every store of its owner", () => {
  const withSecret = Object.entries(before.state).flatMap(([at, answer]) =>
    JSON.stringify(answer).includes(SECRET) ? [at.split(" ")[0]] : [],
  );
  expect([...new Set(withSecret)]).toEqual(expect.arrayContaining(HELD_BY));
});

it("who knows a session knows the ids of its children, so these are tried as well", () => {
  const ops = Array.from({ length: 100 }, (_, n) => `${facts.session}-1:${n}`);
  expect(ops.map((op) => toChildId(facts.session, op, 1))).toContain(facts.child);
});

async function createOther(): Promise<Tenant> {
  const tenant = await world.createTenant();
  others.push(tenant);
  return tenant;
}

it("every route answers the ids of another profile like ids that never existed", async () => {
  expect(routes.length).toBeGreaterThan(60);
  const [other, stranger] = [await createOther(), await createOther()];
  expect(await other.call("GET", "/v1/skill-settings")).toEqual({ inlineShell: false });
  const { settings } = await other.call<{ settings: object }>("GET", "/v1/settings");
  expect(Object.values<{ own: unknown }>(settings as never).filter(({ own }) => own !== null)).toEqual([]);
  const waitForCuration = (tenant: Tenant) =>
    vi.waitFor(async () => expect(await tenant.call("GET", "/v1/curator")).not.toMatchObject({ last: null }), SETTLES);
  const compare = async (request: Asked, invented: Asked) => {
    const replies = await Promise.all([other.ask(request), stranger.ask(invented)]);
    const [mine, never] = replies.map(({ status, text }) => ({ status, text: withoutIds(text, facts, nothing) }));
    const name = `${request.method} ${request.path} ${request.body}`;
    expect.soft(mine, name).toEqual(never);
    expect.soft(mine!.status, name).toBeLessThan(500);
    if (/^\/v1\/sessions\/(?!transcript$)/.test(request.path)) expect.soft([404, 426], name).toContain(mine!.status);
  };
  const tools = await listMcpTools(other.ask);
  const invented = toMcpRequests(tools, nothing);
  for (const [at, { asked }] of toMcpRequests(tools, facts).entries()) await compare(asked, invented[at]!.asked);
  for (const route of routes) {
    // A deployment has one check-up or test at a time, so the second of two is refused. What it reads of a profile is the key's own.
    if (route.id === "runDoctor" || route.id === "testModel") continue;
    const invented = toRequests(route, nothing, before.cursors);
    for (const [at, request] of toRequests(route, facts, before.cursors).entries())
      await compare(request, invented[at]!);
    // Its report changes what later routes answer.
    if (route.id === "runCurator") await Promise.all([other, stranger].map(waitForCuration));
  }
}, 120_000);

/** What the model is offered in such a session, and the results of its calls with these facts. */
async function attack(tenant: Tenant, backend: "workspace" | "host", of: Facts, only?: string[]) {
  // Without the many tools of one server, those of the other are offered by name.
  const session = await tenant.createSession({
    backend,
    ...(backend === "host" && { tools: { disabled: ["mcp-many"] } }),
  });
  await tenant.say(session, { text: `/personality ${of.personality}` }, ["failed"]);
  await tenant.say(session, { text: "Hello." });
  const { offered } = world.model.requests.at(-1)!;
  const calls = toHostileCalls(only ?? offered, of, backend === "host");
  const parks = ([tool]: Call) => tool === "clarify" || tool === "delegate_task";
  const steps = [calls.filter((each) => !parks(each)), ...calls.filter(parks).map((each) => [each])];
  const results = await tenant.work(session, steps);
  expect(results.length).toBe(calls.length);
  const plain = results.map((entry) => ({
    call: withoutIds(JSON.stringify([entry.call.name, entry.call.args]), of),
    result: withoutIds(JSON.stringify(fieldsOf(entry)), of),
  }));
  return { offered, results: plain };
}

it("a model that calls every tool with the ids of another profile gets what ids that never existed get", async () => {
  const [other, stranger] = [await createOther(), await createOther()];
  await Promise.all(
    [other, stranger].map((tenant) => Promise.all([tenant.setServers(), tenant.call("PUT", "/v1/boards/main")])),
  );
  const unknown = { ...nothing, name: facts.name, path: facts.path, server: facts.server };
  const mine = await attack(other, "workspace", facts);
  expect(mine.results).toEqual((await attack(stranger, "workspace", unknown)).results);
  // Both see the one folder of the machine, so only what is a session's own is the same.
  const ofSession = ["process", ...Object.keys(HOSTILE).filter((tool) => tool.startsWith("mcp_"))];
  const onMachine = await attack(other, "host", facts, [...ofSession, ...OF_PLACE]);
  const never = await attack(stranger, "host", unknown, ofSession);
  expect(onMachine.results.slice(0, never.results.length)).toEqual(never.results);
  // The servers answer all, each by the headers that it was sent.
  for (const { results } of [mine, onMachine]) expect(JSON.stringify(results)).toContain("Notes of nobody.");
  const tools = new Set([...mine.offered, ...onMachine.offered]);
  expect([...tools].toSorted()).toEqual(Object.keys(HOSTILE).toSorted());
}, 120_000);

it("access by OAuth belongs to the profile and to the request that began it", async () => {
  const other = await createOther();
  await other.setServers();
  const own = await beginAccess(other, SERVER);
  const [ofOwner, ofOther] = [new URL(unanswered).searchParams.get("state")!, own.state].map((state) =>
    state.split("."),
  );
  const forged = [
    [owner.profile, UNANSWERED, ofOther![2]],
    [other.profile, SERVER, ofOwner![2]],
    [other.profile, UNANSWERED, ofOwner![2]],
    [owner.profile, SERVER, ofOwner![2]],
  ];
  for (const state of forged) {
    const { status, text } = await comeBack(state.join("."), toCode(own.open, "taken"));
    expect([status, JSON.parse(text).code], state.join(".")).toEqual([404, "mcp_oauth_unknown"]);
  }
  // A person who has seen the whole state has no code for it, and a code of the owner's fits no other request.
  const mixed = [
    await comeBack(ofOwner!.join("."), toCode(own.open, "taken")),
    await comeBack(own.state, toCode(unanswered, "x")),
  ];
  expect(mixed.map(({ text }) => JSON.parse(text).code)).toEqual(["mcp_oauth_failed", "mcp_oauth_failed"]);
  expect(await comeBack(own.state, toCode(own.open, "own"))).toMatchObject({ status: 200 });
}, 60_000);

it("a reviewer that calls every tool it is offered reaches nothing of another profile", async () => {
  const other = await createOther();
  const session = await other.createSession();
  await other.say(session, { text: "Hello." });
  let tried = 0;
  world.model.instructReviewer((offered) => {
    const calls = toHostileCalls(offered, facts);
    tried += calls.length;
    return calls;
  });
  await other.say(session, { text: "/refine" });
  await vi.waitFor(async () => {
    expect(await other.call("GET", "/v1/reviews")).toMatchObject({ reviews: [{ state: "done" }] });
  }, SETTLES);
  expect(tried).toBeGreaterThan(10);
}, 60_000);

it("the secret reached neither the models nor the API of the others", () => {
  const heard = others.flatMap((tenant) => tenant.heard);
  const told = world.model.requests.slice(planted).map(({ body }) => body);
  expect([heard.length > 200, told.length > 20]).toEqual([true, true]);
  const around = (text: string) => text.slice(Math.max(0, text.indexOf(SECRET) - 200), text.indexOf(SECRET) + 100);
  expect([...heard, ...told].filter((text) => text.includes(SECRET)).map(around)).toEqual([]);
});

it("a webhook and an MCP server hear of the profile that set them, and of no other", async () => {
  const other = await createOther();
  await other.setServers();
  const { origin, requests } = world.site;
  const hook = await other.call<{ id: string }>("POST", "/v1/hooks", {
    ...{ url: `${origin}/hooks/other`, events: HookEventType.options },
  });
  await other.say(await other.createSession(), { text: "Hello." });
  await vi.waitFor(() => expect(requests.some(({ path }) => path === "/hooks/other")).toBe(true), SETTLES);
  expect(await other.call("GET", `/v1/hooks/${hook.id}/deliveries`)).toMatchObject({ deliveries: [{}] });
  const sent = (to: string) =>
    requests.flatMap(({ path, body }) => (path === to ? [JSON.parse(body).data.profile] : []));
  expect([...new Set(sent("/hooks/other"))]).toEqual([other.profile]);
  expect([...new Set(sent(`/hooks/${SECRET}`))]).toEqual([owner.profile]);
  const asked = requests.slice(atSite).filter(({ path }) => path.startsWith("/mcp/"));
  expect(asked.length).toBeGreaterThan(10);
  expect(asked.filter(({ headers }) => JSON.stringify(headers).includes(SECRET))).toEqual([]);
});

it("the owner's state is what it was", async () => {
  expect((await readOwner()).state).toEqual(before.state);
  // Nobody has used up what the owner has begun.
  const state = new URL(unanswered).searchParams.get("state")!;
  const twice = [await comeBack(state, toCode(unanswered, "own")), await comeBack(state, toCode(unanswered, "own"))];
  expect(twice.map(({ status }) => status)).toEqual([200, 404]);
});
