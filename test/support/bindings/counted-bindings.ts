// The api Worker's bindings over the stores' doubles. They count requests as the platform does: each call to R2, KV, a queue or an
// object is one. The objects behave like those of an existing profile without sessions.
import { ALL_SCOPES } from "../../../core/schemas/keys/scope.ts";
import { answerPing } from "../../../workers/review/answer-ping.ts";
import { err, ok } from "../../../core/errors.ts";
import { type ProfileSection, noProfileSettings } from "../../../core/schemas/profile/settings.ts";
import { beginJob } from "../../../core/training/job.ts";
import type { KeyValue } from "../../../core/ports.ts";
import type { TurnSignature } from "../../../core/schemas/learning/learning.ts";
import type { Env } from "../../../workers/api/env.ts";
import { type Counter, countBucket, countCall, countKv } from "./counted.ts";
import type { MemoryBucket } from "./memory-bucket.ts";

export interface CountedWorld {
  bucket: MemoryBucket;
  kv: KeyValue;
  counter: Counter;
  profile: string;
}

export function toBindings({ bucket, kv, counter, profile }: CountedWorld): Env {
  const note = (kind: string) => countCall(counter, kind);
  const namespace = (kind: string, object: object) => {
    const counted = new Proxy(object, {
      get(target, key) {
        note(kind);
        return Reflect.get(target, key) as unknown;
      },
    });
    return { getByName: () => counted };
  };
  const queue = {
    /** A message of `POST /v1/doctor` is answered as the review Worker does. */
    async send(message: unknown) {
      note("queue send");
      await answerPing(message, { bucket, model: "rehearsal", now: Date.now() });
    },
  };
  const env = {
    SKILLS: toR2(countBucket(bucket, counter)),
    MEMORY: toKvNamespace(countKv(kv, counter)),
    SESSION: namespace("session", session),
    ACCOUNT: namespace("account", createCountedAccount()),
    ARCHIVE: namespace("archive", archive),
    WEBHOOKS: namespace("webhooks", webhooks),
    AGENDA: namespace("agenda", agenda),
    BOARD: namespace("board", board),
    CHANNELS: namespace("channels", channels),
    EXPERIMENTS: namespace("experiments", experiments),
    REPLAY: namespace("replay", replay),
    REVIEWS: queue,
    CURATION: queue,
    TALARIA_OPERATOR_TOKEN: "operator-token-for-tests",
    TALARIA_PUBLIC_PROFILE: profile,
  };
  return env as unknown as Env;
}

function toR2(bucket: ReturnType<typeof countBucket>) {
  return {
    head: (key: string) => bucket.get(key),
    get: (key: string, { onlyIf }: { onlyIf?: { etagDoesNotMatch: string } } = {}) =>
      onlyIf ? bucket.getUnless(key, onlyIf.etagDoesNotMatch) : bucket.get(key),
    put(key: string, body: string | Uint8Array, options: R2PutOptions = {}) {
      const { etagDoesNotMatch, etagMatches } = (options.onlyIf ?? {}) as R2Conditional;
      const ifAbsent = etagDoesNotMatch === "*";
      const { customMetadata } = options;
      return bucket.put(key, body, {
        ...(ifAbsent ? { ifAbsent } : { ifMatch: etagMatches as string }),
        customMetadata,
      });
    },
    list: ({ include = [], ...options }: R2ListOptions & { prefix: string }) =>
      bucket.list({ ...options, metadata: include.length > 0 }),
    delete: (keys: string | string[]) => bucket.delete(keys),
  };
}

function toKvNamespace(kv: KeyValue) {
  return {
    get: (key: string | string[]) => (Array.isArray(key) ? kv.getMany(key) : kv.get(key)),
    put: (...asked: Parameters<KeyValue["put"]>) => kv.put(...asked),
    list: (...asked: Parameters<KeyValue["list"]>) => kv.list(...asked),
    delete: (key: string) => kv.delete(key),
  };
}

function createCountedAccount() {
  const sum = {
    calls: 0,
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    reasoning: 0,
    tokens: 0,
    usd: 0,
    sources: {},
  };
  const settings = noProfileSettings();
  settings.sections.trajectories.consent = {
    ...{ v: 1, allowed: true, changedAt: 1, changedBy: "operator", salt: "0".repeat(64) },
  };
  return {
    init: async () => {},
    check: async () => ok({ id: key.id, rotation: 0, scopes: ALL_SCOPES, end: null, settingsRev: 0 }),
    keyDesk: () => keyDesk,
    registerSession: async () => true,
    listSessions: async () => [],
    findSessions: async () => [],
    noteActivity: async () => {},
    suggestionDecisions: async () => ok([]),
    usage: async (asked: object) => ({ ...asked, totals: sum, lines: [], grants: [] }),
    askForCuration: async () => ok({ allowance: null }),
    eraseSession: async () => true,
    eraseSkill: async () => {},
    eraseProfile: async () => true,
    isErasing: async () => false,
    readApprovals: async () => ({ mode: null, allowances: [] }),
    putApprovalMode: async () => ok(null),
    revokeAllowance: async () => ok(null),
    readSettings: async () => settings,
    async putSetting(section: ProfileSection, key: string, value: object) {
      Object.assign(settings.sections[section], { [key]: value });
      return ok(null);
    },
    async changeSettings(section: ProfileSection, changes: Record<string, object>) {
      Object.assign(settings.sections[section], changes);
      return ok(null);
    },
    removeSetting: async () => ok(null),
    hookDesk: () => hookDesk,
    libraryDesk: () => libraryDesk,
    runDesk: () => runDesk,
    conversationDesk: () => conversationDesk,
    responseDesk: () => responseDesk,
    signInDesk: () => signInDesk,
    movingDesk: () => movingDesk,
    trainingDesk: () => trainingDesk,
  };
}

const key = { id: "key_000000000000", label: "", scopes: ALL_SCOPES, createdAt: 1 };
const keyDesk = {
  list: async () => [key],
  create: async () => ok({ ...key, profile: "0".repeat(26), key: "tal_x_y" }),
  change: async () => ok(key),
  rotate: async () => ok({ ...key, profile: "0".repeat(26), key: "tal_x_y" }),
  revoke: async () => ok(null),
  noteSocket: async () => ok(`${key.id}.0`),
  noteAct: async () => {},
  listAudit: async () => [],
  skillActs: async () => [],
  [Symbol.dispose]() {},
};

const signIn = { id: "sin_000000000000", key: "key_000000000000", label: "", createdAt: 1, expiresAt: 2, usedAt: 1 };
const signInDesk = {
  create: async () => ok({ ...signIn, scopes: ["read"] }),
  createCode: async () => ok(2),
  list: async () => [{ ...signIn, scopes: ["read"] }],
  end: async () => ok(null),
  [Symbol.dispose]() {},
};

const hookInfo = { id: "hook_000000000000", url: "https://receiver.example", events: ["turn.ended"], createdAt: 1 };
const hookDesk = {
  create: async () => ok({ ...hookInfo, secret: "whsec_x" }),
  list: async () => [hookInfo],
  read: async () => ok(hookInfo),
  remove: async () => ok(null),
  rotate: async () => ok({ secret: "whsec_x" }),
  test: async () => ok({ delivered: true, status: 200, ms: 1 }),
  deliveries: async () => ok([]),
  [Symbol.dispose]() {},
};

/** Of a profile that follows this one, and that this one follows. */
const member = { profile: "0".repeat(26), label: "", since: 1, evidence: true };
const follower = { ...member, sendsEvidence: true, told: true };
const following = { ...member, takesEvidence: true };
const invitation = { id: `inv_${"0".repeat(12)}`, label: "", createdAt: 1, expiresAt: 2, uses: 1 };
const libraryDesk = {
  list: async () => ({ followers: [follower], following: [following], invitations: [invitation] }),
  invite: async () => ok({ ...invitation, code: "tlib_x_y" }),
  takeBack: async () => ok(null),
  follow: async () => ok(following),
  changeFollowing: async () => ok(following),
  unfollow: async () => ok(null),
  changeFollower: async () => ok(follower),
  removeFollower: async () => ok(null),
  countsOf: async () => null,
  planTelling: async () => null,
  give: async () => true,
  [Symbol.dispose]() {},
};

const webhookInfo = { name: "events", scheme: "github", createdAt: 1, path: "/hooks/x/events", url: null };
/** `people` answers a list with a list, and everything else with something of its form. */
const channels = {
  ...{ list: async () => [], read: async () => ok({}), put: async () => ok({}), change: async () => ok({}) },
  ...{ remove: async () => ok(null), tryOut: async () => ok({}), listDeliveries: async () => ({ page: [] }) },
  knownIds: async () => [],
  people: async (call: string) => ok(call.startsWith("list") ? [] : {}),
};

/** Of the form that the API shows. */
const JOB = {
  ...{ id: "j000000000000", name: "brief", schedule: "every 1d", timeZone: "UTC", prompt: "Say hi.", skills: [] },
  ...{ contextFrom: [], deliver: null, gate: null, repeat: null, failure: {}, understood: "every day", failures: 0 },
  ...{ author: { by: "owner" }, createdAt: 1, changedAt: 1, nextAt: 2, paused: null, finishedAt: null, ran: 0 },
  ...{ retry: null, due: 2, running: null },
};
const JOB_RUN = {
  ...{ id: "r000000000000", job: "j000000000000", name: "brief", trigger: "manual", slot: 1, state: "claimed" },
  ...{ session: null, turn: null, claimedAt: 1, startedAt: null, endedAt: null, outcome: null, output: null },
  ...{ error: null, tokens: null, delivery: { state: "none", to: null, tries: 0, error: null } },
};
const attachment = { name: "a", mediaType: "text/plain", bytes: 0, author: { by: "board" }, at: 1 };
/** Answers each operation with something of the form that its route reads. */
const board = {
  async call(method: string) {
    if (method === "list") return ok({ cards: [], next: null });
    if (method === "stats") return ok({ byStatus: {}, byAssignee: [], oldestReadyAt: null });
    if (method === "events" || method === "comments" || method === "runs") return ok([]);
    return ok({ card: {}, comment: {}, attachment, bytes: new Uint8Array() });
  },
};
const goalInfo = {
  ...{ id: "0".repeat(16), session: "01J00000000000000000000000", state: "active", text: "Do it.", reason: "" },
  ...{ contract: {}, subgoals: [], checks: [], maxTurns: 20, turns: 0, serial: 1, judged: 0 },
  ...{ createdAt: 1, updatedAt: 1, failures: { parse: 0, transport: 0, check: 0 } },
};

const agenda = {
  listRoles: async () => [{ name: "writer", role: { description: "", skills: [] } }],
  readRole: async () => ok({ description: "", skills: [] }),
  putRole: async (_name: string, role: object) => ok(role),
  removeRole: async () => ok(null),
  listBoards: async () => [{ name: "main", createdAt: 1 }],
  addBoard: async () => ok(null),
  ...{
    createJob: async (spec: object) => ok({ ...JOB, ...spec }),
    changeJob: async () => ok(JOB),
    pauseJob: async () => ok(JOB),
  },
  ...{ resumeJob: async () => ok(JOB), runJob: async () => ok(JOB_RUN), removeJob: async () => ok(null) },
  ...{ readJob: async () => ok({ job: JOB, runs: [] }), listJobs: async () => [JOB] },
  listJobRuns: async () => ok({ runs: [JOB_RUN], next: null }),
  removeBoard: async () => {},
  listGoals: async () => [goalInfo],
  checkUp: async () => ({
    ...{ alarm: null, due: null, jobs: { jobs: 1, late: [], stopped: [], lost: [] }, goals: [goalInfo] },
    ...{ boards: ["main"], roles: ["writer"] },
  }),
  showGoal: async () => ok({ ...goalInfo, verdicts: [] }),
  newestGoal: async () => goalInfo,
  beginGoal: async () => ok(goalInfo),
  changeGoal: async () => ok(goalInfo),
};

const webhooks = {
  create: async () => ok({ ...webhookInfo, secret: "whsec_x" }),
  list: async () => [webhookInfo],
  read: async () => ok(webhookInfo),
  change: async () => ok(webhookInfo),
  remove: async () => ok(null),
  rotate: async () => ok({ secret: "whsec_x", previousUntil: 1 }),
  listDeliveries: async () => ok({ deliveries: [], next: null }),
};

const conversationDesk = {
  find: async () => ok({ joined: null, named: null, rows: [] }),
  begin: async ({ plan }: { plan: object }) => ok(plan),
  [Symbol.dispose]() {},
};

const runDesk = {
  begin: async ({ run, session }: { run: string; session: string }) =>
    ok({ row: { run, session, turn: null, state: "open", at: 1 }, replayed: false }),
  ...{ place: async () => {}, drop: async () => {}, settle: async () => {} },
  ...{ find: async () => null, list: async () => [] },
  [Symbol.dispose]() {},
};
const responseDesk = {
  ...{ put: async () => {}, find: async () => null, remove: async () => false },
  [Symbol.dispose]() {},
};

const movingDesk = {
  sessions: async () => ok([]),
  exportPage: async () => ok({ lines: [], next: null }),
  isEmpty: async () => ok(false),
  importPage: async () => ok(null),
  dropSession: async () => {},
  [Symbol.dispose]() {},
};

const trainingJob = beginJob(
  { baseModel: "m", format: "sharegpt", filter: {}, config: {} },
  { id: "trn_000000000000", op: "op", now: 1 },
);
const trainingDesk = {
  ...{ begin: async () => ok(trainingJob), read: async () => ok(trainingJob), change: async () => ok(trainingJob) },
  ...{ list: async () => [trainingJob], models: async () => [] },
  [Symbol.dispose]() {},
};

const NO_TURNS = { turns: 0, judged: 0, successes: 0 };
/** A request of three days, which is suggested as a job. */
export const HABIT = [3, 2, 1].map((day): TurnSignature => ({
  ...{ turn: `${"0".repeat(26)}-${day}`, session: "0".repeat(26), at: day * 86_400_000, request: "Water the plants" },
  ...{ tools: {}, loaded: [], outcome: "unknown", judge: "exit", recovered: false, heldOut: false, asked: "owner" },
  effort: { calls: 0, failedCalls: 0, tokens: 1 },
}));
const archive = {
  turnsOf: async ({ own }: { own?: boolean }) => (own ? HABIT : []),
  searchMessages: async () => ({ found: [], missing: [] }),
  liftOf: async () => ({ before: NO_TURNS, after: NO_TURNS }),
  beginPurge: async () => {},
  purgedPieces: async () => [],
  eraseTexts: async () => null,
};

/** One that has ended, with one run that is kept. */
export const EXPERIMENT = {
  ...{ v: 1, id: "0".repeat(26), skill: "a", text: "0".repeat(64), parent: null, rev: null, occasion: "try" },
  ...{ session: null, state: "done", outcome: "helps", why: "", turns: [], arms: {}, createdAt: 1, endedAt: 2 },
  ...{ tokens: { granted: 1, used: 1 }, runsUntil: 9e12 },
  runs: [{ replay: "1".repeat(26), turn: `${"0".repeat(26)}-1`, arm: "with", nth: 1, state: "done" }] as const,
};
const EXPERIMENT_SUM = {
  ...{ waiting: 0, running: 0, helps: 1, no_difference: 0, harms: 0, not_replayable: 0, none: 0 },
  ...{ withdrawnBeforeOffer: 0, replays: 1, tokens: 1 },
};
const experiments = {
  take: async ({ skill, text }: { skill: string; text: string }) => ok({ ...EXPERIMENT, skill, text }),
  ...{ list: async () => [EXPERIMENT], read: async () => ok(EXPERIMENT), stop: async () => ok(EXPERIMENT) },
  ...{ forgetWords: async () => {}, sum: async () => EXPERIMENT_SUM },
};
const replay = { entryPage: async () => ({ entries: [] }) };

const unknown = async () => err("session_not_found", "There is no such session.");
const session = {
  create: async (input: object) => ({ session: "01J00000000000000000000000", ...input }),
  detail: async () => null,
  ...{ importPage: async () => ok("taken"), adopt: async () => true },
  fetch: async () => Response.json((await unknown()).failure, { status: 400 }),
  ...{ post: unknown, events: unknown, entryPage: unknown, stop: unknown, rate: unknown, observation: unknown },
  ...{ putFile: unknown, getFile: unknown, deleteFile: unknown, listFiles: unknown },
  ...{ getImage: unknown, exportWorkspace: unknown, importWorkspace: unknown },
  ...{ listCheckpoints: unknown, openCheckpoint: unknown, restoreCheckpoint: unknown, deleteCheckpoints: unknown },
  ...{ listApprovals: unknown, openApproval: unknown, decideApproval: unknown },
  ...{
    listAllowances: unknown,
    revokeAllowance: unknown,
    planBranch: unknown,
    change: unknown,
    listChildren: unknown,
    promptSize: unknown,
    readTurn: unknown,
    readTurnInfo: unknown,
    readExchange: unknown,
    stopTurn: unknown,
  },
};
