// Requests to every route of the contract, generated from the OpenAPI document, with the ids of one tenant and the key of any. A route
// whose body or parameter is not known here fails the test. Used by test/flows/two-profiles.stack.test.ts.
import { type Facts, KNOWN_WORD, toSkillMd } from "./facts.ts";
import { toMessage } from "./obedient-model.ts";

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string }[];
  requestBody?: { required?: boolean };
}

export interface Route {
  id: string;
  method: string;
  path: string;
  query: string[];
  needsBody: boolean;
}

export interface Asked {
  method: string;
  path: string;
  body?: string;
  type?: string;
  headers?: Record<string, string>;
}

export type Send = (asked: Asked) => Promise<{ status: number; text: string }>;

export function readRoutes(openApi: string): Route[] {
  const { paths } = JSON.parse(openApi) as { paths: Record<string, Record<string, Operation>> };
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId, parameters = [], requestBody }]) => ({
      ...{ id: operationId, method: method.toUpperCase(), path, needsBody: requestBody?.required === true },
      query: parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name),
    })),
  );
}

const BODIES: Record<string, (of: Facts) => object | string> = {
  fetchToCard: () => ({ url: "http://127.0.0.1/secret" }),
  postMessage: () => ({ text: toMessage([]) }),
  importTranscript: () => ({
    from: { program: "hermes", id: "taken" },
    createdAt: 1,
    messages: [{ role: "user", text: "Taken.", at: 1 }],
  }),
  rateTurn: () => ({ rating: "down", correction: "Taken." }),
  putFile: () => "taken",
  replaceWorkspace: () => "no zip",
  addToWorkspace: () => "no zip",
  decideApproval: () => ({ approve: true, scope: "always" }),
  putSkill: ({ name }) => ({ files: { "SKILL.md": toSkillMd(name, "Mine.") } }),
  pinSkill: () => ({ pinned: true }),
  importSkill: ({ name }) => ({ name, files: { "SKILL.md": toSkillMd(name, "Mine.") } }),
  previewSkillImport: ({ name }) => ({ name, files: { "SKILL.md": toSkillMd(name, "Mine.") } }),
  trySkill: ({ name }) => ({ tokens: 1, files: { "SKILL.md": toSkillMd(name, "Mine.") } }),
  publishSkill: () => ({ public: true }),
  restoreSkill: () => ({ rev: 1 }),
  purgeSkillRevision: () => ({ rev: 1 }),
  addMemory: () => ({ store: "memory", content: "Taken." }),
  replaceMemory: () => ({ content: "Taken." }),
  decidePending: () => ({ approve: true }),
  changeKey: () => ({ label: "Taken." }),
  putQuota: () => ({ dayTokens: 1 }),
  createKey: ({ profile }) => ({ profile }),
  putApprovalMode: () => ({ mode: null }),
  changeSession: () => ({ title: "Taken." }),
  changeMcpServer: () => ({ enabled: true }),
  inspectHub: () => ({ source: "http://127.0.0.1/taken/SKILL.md" }),
  installHub: () => ({ source: "http://127.0.0.1/taken/SKILL.md" }),
  pinHubSkill: () => ({ version: null }),
  putTap: () => ({ source: "taken/skills" }),
  changeFollower: () => ({ evidence: true }),
  followLibrary: ({ profile }) => ({ code: `tlib_${profile}_${"0".repeat(52)}`, evidence: true }),
  changeFollowing: () => ({ evidence: true }),
  putGithubToken: () => ({ token: "ghp_0123456789" }),
  publishToTap: ({ name, tap }) => ({ skill: name, tap }),
  putMcpServer: ({ site }) => ({ url: `${site}/mcp/notes` }),
  createChatCompletion: () => ({ model: "talaria", messages: [{ role: "user", content: toMessage([]) }] }),
  changeSettings: () => ({ "turn.titles": false }),
  putToolSettings: () => ({ disabled: ["todo"] }),
  putPolicy: () => ({ hook: "pre_tool_call", tool: "todo", decision: "allow" }),
  putSkillSettings: () => ({ inlineShell: true }),
  createRun: ({ session }) => ({ input: toMessage([]), session }),
  steerRun: () => ({ text: "Taken." }),
  approveRun: () => ({ approve: true }),
  createResponse: ({ response }) => ({ input: toMessage([]), previous_response_id: response }),
  createMessage: () => ({ model: "talaria", max_tokens: 99, messages: [{ role: "user", content: toMessage([]) }] }),
  countMessageTokens: () => ({ model: "talaria", messages: [{ role: "user", content: "Hello." }] }),
  createTrainingJob: () => ({ baseModel: "taken", format: "sharegpt" }),
  createHook: ({ site }) => ({ url: `${site}/hooks/other`, events: ["turn.ended"] }),
  createJob: () => ({ name: "taken", schedule: "every 30d", prompt: "Taken." }),
  changeJob: () => ({ prompt: "Taken." }),
  useBlueprint: ({ site }) => ({ name: "taken-too", slots: { url: `${site}/taken`, hours: 168 } }),
  acceptSuggestion: () => ({ slots: { time: "09:00" } }),
  createGoal: ({ session }) => ({ text: "Taken.", session }),
  changeGoal: () => ({ do: "pause" }),
  putSessionGoal: () => ({ text: "Taken." }),
  putRole: () => ({ description: "Taken." }),
  createCard: () => ({ title: "Taken." }),
  changeCard: () => ({ title: "Taken." }),
  addComment: () => ({ text: "Taken." }),
  attachToCard: () => "taken",
  assignCard: () => ({ assignee: null }),
  moveCard: () => ({ to: "ready" }),
  completeCard: () => ({ summary: "Done." }),
  blockCard: () => ({ kind: "transient", reason: "Down." }),
  requestCardReview: () => ({ summary: "Done." }),
  requestCardChanges: () => ({ reason: "Wrong." }),
  cancelCard: () => ({ reason: "No." }),
  createWebhook: ({ webhook }) => ({ name: webhook, scheme: "github", prompt: "Taken." }),
  changeWebhook: () => ({ prompt: "Taken." }),
  putChannel: () => ({ secret: `whsec_${"A".repeat(43)}=`, url: "https://example.com/taken" }),
  changeChannel: () => ({ options: { everyone: true } }),
  approvePairing: () => ({ code: "ABCDEFGH" }),
  putChannelPerson: () => ({ role: "owner" }),
  changeChat: () => ({ listen: "all" }),
  putPersonality: () => ({ text: "Mine." }),
  putTrajectoryConsent: () => ({ allowed: true }),
  sealExport: () => ({ receipts: ["0".repeat(100)] }),
  beginImport: () => ({ manifest: "{}", deployment: "0".repeat(43), signature: "AAAA" }),
  putImportPart: () => "taken",
  commitImport: () => ({}),
};
const RAW: Record<string, string> = {
  putFile: "text/plain",
  attachToCard: "text/plain",
  putImportPart: "application/octet-stream",
  replaceWorkspace: "application/zip",
  addToWorkspace: "application/zip",
};

/** What a route's query names of another tenant. */
const QUERIES: Record<string, (of: Facts) => string[]> = {
  deleteProfile: ({ profile }) => [`confirm=${profile}`],
  listReviews: ({ session }) => [`session=${session}`],
  readLearning: ({ name }) => [`skill=${name}`],
  listJourney: () => ["skill", "fact", "review", "curation", "decision"].map((about) => `about=${about}`),
  searchMessages: () => [`q=${KNOWN_WORD}&role=tool`, `q=${KNOWN_WORD}`],
  readSchedule: () => ["schedule=0+0+1+1+*"],
  searchHub: () => [`query=${KNOWN_WORD}&source=url`],
  listSkills: () => [`query=${KNOWN_WORD}`],
  readEvents: () => ["turn=1"],
  readCheckpoint: ({ path }) => [`path=${encodeURIComponent(path)}`],
  readTrajectories: ({ session }) => [`session=${session}`, "format=preferences"],
  readUsage: () => ["by=session"],
  listSessions: () => ["kind=delegated", "kind=webhook", "kind=all"],
  listTools: ({ session, child }) => [session, child].map((id) => `session=${id}`),
};
/** Needed queries have no request without them. */
const NEEDED = new Set(["searchMessages", "searchHub", "readSchedule"]);

const FIXED: Record<string, string> = {
  n: "1",
  rev: "1",
  store: "memory",
  artifact: "SKILL.md",
  checkpoint: "1",
  ...{ platform: "webhook", person: "7", pairing: "0".repeat(16), chat: "0".repeat(32) },
  signIn: `sin_${"0".repeat(12)}`,
  invitation: `inv_${"0".repeat(12)}`,
  export: `exp_${"0".repeat(26)}`,
  part: "0".repeat(64),
  model: "talaria",
  attachment: "notes.md",
  training: `trn_${"0".repeat(12)}`,
  replay: "0".repeat(26),
  ...{ blueprint: "page-watch", suggestion: "0".repeat(16) },
  ...{ card: `c${"0".repeat(12)}`, parent: `c${"1".repeat(12)}`, goal: "0".repeat(16) },
};

/** The cursor of a tenant's own list, by the route's id. */
export type Cursors = Record<string, string>;

/** Every request that the route allows with these facts. */
export function toRequests(route: Route, of: Facts, cursors: Cursors = {}): Asked[] {
  const { id, method, path, needsBody } = route;
  if (needsBody && !BODIES[id]) throw new Error(`${id}: api-sweep.ts has no body for it`);
  const body = BODIES[id]?.(of);
  const named = QUERIES[id]?.(of) ?? [];
  const after = cursors[id] === undefined ? [] : [`after=${encodeURIComponent(cursors[id])}`];
  const queries = [...(NEEDED.has(id) ? [] : [""]), ...named, ...after];
  const requests = [of.session, of.machine].flatMap((session) => queries.map((query) => [session, query] as const));
  const others = [of.child, of.asked, of.branch].map((session) => [session, queries[0]!] as const);
  const all = path.includes("{session}") ? [...requests, ...others] : requests.slice(0, queries.length);
  return all.map(([session, query]) => ({
    ...{ method, path: `${fillPath(route, toPlace(of, session))}${query && "?"}${query}` },
    ...(body !== undefined && {
      ...{ body: typeof body === "string" ? body : JSON.stringify(body), type: RAW[id] ?? "application/json" },
    }),
  }));
}

function toPlace(of: Facts, session: string): Facts {
  return { ...of, session, approval: session === of.asked ? of.question : of.approval };
}

function fillPath({ id, path }: Route, of: Facts): string {
  const values: Record<string, string> = { ...of, ...FIXED, ...(path.startsWith("/v1/runs") && { run: of.work }) };
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`${id}: api-sweep.ts has no value for {${name}}`);
    return value.split("/").map(encodeURIComponent).join("/");
  });
}

export type State = Record<string, { status: number; body: unknown }>;

/** The answers to all that can be read of a tenant with its own key, and the cursors of its lists. */
export async function readAll(routes: Route[], of: Facts, send: Send) {
  const state: State = {};
  const cursors: Cursors = {};
  // The rows of an export change by themselves: jobs are tried again, bookings arrive.
  const changing = ["watchSession", "readExportPart"];
  for (const route of routes.filter(({ method, id }) => method === "GET" && !changing.includes(id))) {
    for (const asked of toRequests(route, of)) {
      if ([of.machine, of.asked].some((parked) => asked.path.includes(`${parked}/events`))) continue; // goes on until a person has decided
      const { status, text } = await send(asked);
      state[`${route.id} ${asked.path}`] = { status, body: parseBody(text) };
    }
    if (!route.query.includes("limit") || !route.query.includes("after")) continue;
    const { text } = await send({ method: "GET", path: `${toRequests(route, of)[0]!.path}?limit=1` });
    const next = /"next":"([^"]+)"/.exec(text)?.[1];
    if (next !== undefined) cursors[route.id] = next;
  }
  return { state, cursors };
}

/** Parsed, because the order of an object's fields says nothing. */
function parseBody(text: string): unknown {
  return /^[[{]/.test(text) ? JSON.parse(text) : text;
}
