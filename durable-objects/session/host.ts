// What a session's engine needs, over the bindings: they become ports here and nowhere below. Used by the Session object, and by the Replay object
// for an earlier turn of a session.
import type { PutAnswer } from "../../core/archive/messages/split-archive.ts";
import type { ModelChain } from "../../core/agent/contract.ts";
import { type Result, err, messageOf } from "../../core/errors.ts";
import type { ProviderEnv } from "../../core/memory/provider-env.ts";
import { createCircuit } from "../../core/memory/provider-guard.ts";
import { type ProviderDeps, openProvider } from "../../core/memory/providers/index.ts";
import type { ModelEnv } from "../../core/models/model-env.ts";
import type { ExecEnv } from "../../core/tools/host/exec-env.ts";
import type { SearchEnv } from "../../core/tools/web/search/search-env.ts";
import type { Alarm } from "../../core/ports.ts";
import type { ProfileSettings } from "../../core/schemas/profile/settings.ts";
import { ProfileId, SessionId } from "../../core/schemas/ids.ts";
import type { ReviewMessage } from "../../core/schemas/learning/review.ts";
import { type BoardCallee, toBoardCalls } from "../../core/board/board-calls.ts";
import type { ChildReport, ChildTask } from "../../core/schemas/sessions/delegation.ts";
import type { Settings } from "../../core/schemas/settings.ts";
import type { SessionDelivery } from "../../core/schemas/channels/delivery.ts";
import { readBeginner } from "../../core/session/channel/begun-by.ts";
import type { ChildPort, SessionHost } from "../../core/session/context.ts";
import { seeds } from "../../skills-seed/index.ts";
import { toQueue } from "../../stores/platform/queue.ts";
import { systemClock } from "../../stores/platform/system-clock.ts";
import { runChecks } from "../../wiring/checks.ts";
import { type LoaderBinding, openSandbox } from "../../wiring/sandbox.ts";
import { openExperiments } from "../../wiring/experiments.ts";
import { openImageMaker } from "../../wiring/images.ts";
import { openModels, readModelChoices } from "../../wiring/models.ts";
import { openExecHost } from "../../wiring/exec.ts";
import { createMcpDialer } from "../../wiring/mcp/dialer.ts";
import { type SettingsAccount, openMcpDeps, storeCatalog } from "../../wiring/mcp/open-mcp.ts";
import { type SealingEnv, openSealer } from "../../wiring/sealing.ts";
import { openOutbound } from "../../wiring/outbound.ts";
import { type BrowserBinding, openWeb } from "../../wiring/web.ts";
import {
  type StoreScope,
  SESSION_INDEXES,
  openBucket,
  openEvidenceStore,
  openPendingStore,
  openReviewStore,
  openSessionMemory,
  openSkillStore,
} from "../../wiring/stores.ts";
import type { Account } from "../account.ts";
import type { Agenda } from "../agenda/agenda.ts";
import type { Archive } from "../archive.ts";
import type { Board } from "../board/board.ts";
import type { Channels } from "../channels/channels.ts";
import { toSql } from "../sql.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";
import { openGoals, openJobs } from "./agenda-ports.ts";

export interface SessionEnv
  extends ModelEnv, ProviderEnv, ExecEnv, SearchEnv, BrowserBinding, LoaderBinding, SealingEnv {
  SKILLS: R2Bucket;
  MEMORY: KVNamespace;
  REVIEWS: Queue<ReviewMessage>;
  SESSION: DurableObjectNamespace;
  ACCOUNT: DurableObjectNamespace<Account>;
  ARCHIVE: DurableObjectNamespace<Archive>;
  CHANNELS: DurableObjectNamespace<Channels>;
  WEBHOOKS: DurableObjectNamespace<Webhooks>;
  AGENDA: DurableObjectNamespace<Agenda>;
  BOARD: DurableObjectNamespace<Board>;
  EXPERIMENTS: DurableObjectNamespace;
  TALARIA_SETTINGS?: string;
}

export const SESSION_GONE = err("session_gone", "This session, or the one that began it, has been deleted.");

/** 32 letters, so that five random bits select one. */
const LETTERS = "abcdefghijklmnopqrstuvwxyz234567";

/** Shared by the sessions of an isolate, and with it the circuit breaker of the memory provider. */
const MEMORY_DEPS: Omit<ProviderDeps, "fetch"> = {
  clock: systemClock,
  circuit: createCircuit(systemClock),
};

export function toHost(ctx: DurableObjectState, env: SessionEnv, settings: Settings): SessionHost {
  const [profilePart, sessionPart] = (ctx.id.name ?? "").split("/");
  const profile = ProfileId.parse(profilePart);
  const session = SessionId.parse(sessionPart);
  const clock = systemClock;
  const place: StoreScope = { bucket: openBucket(env.SKILLS), profile, settings };
  const chains = new Map<string, Result<ModelChain>>();
  const outbound = openOutbound(env, settings);
  const memoryProvider = openProvider(env, { profile, session }, { ...MEMORY_DEPS, fetch: outbound.fetch });
  // A session works without a memory provider. The log tells the operator what is wrong.
  if (!memoryProvider.ok) console.error(`session ${session}: memory provider: ${memoryProvider.failure.message}`);
  const account: SettingsAccount = {
    readSettings: () => env.ACCOUNT.getByName(profile).readSettings() as Promise<ProfileSettings>,
    putSetting: (...setting) => env.ACCOUNT.getByName(profile).putSetting(...setting) as Promise<Result<null>>,
  };
  const exec = openExecHost(env, profile, outbound);
  if (!exec.ok) console.error(`session ${session}: exec host: ${exec.failure.message}`);
  return {
    profile,
    session,
    exec: exec.ok ? exec.value : null,
    sql: toSql(ctx.storage),
    alarm: toAlarm(ctx.storage),
    clock,
    random: Math.random,
    settings,
    token: () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => LETTERS[byte & 31]).join(""),
    models(slot, first) {
      const key = `${slot} ${first ?? ""}`;
      const chain = chains.get(key) ?? openModels(env, settings, slot, outbound, first);
      chains.set(key, chain);
      return chain;
    },
    modelChoices: () => readModelChoices(env, settings).map(({ name }) => name),
    seeds,
    runChecks,
    sandbox: openSandbox(env, settings, clock, (problem) => console.error(`session ${session}: ${problem}`)),
    skills: openSkillStore(place, { indexes: SESSION_INDEXES }),
    search: (query) => env.ARCHIVE.getByName(profile).searchSkills(query),
    memory: (overlay) => openSessionMemory(env.MEMORY, place, overlay),
    outbound,
    imageMaker: openImageMaker(env, settings, outbound),
    memoryProvider: memoryProvider.ok ? memoryProvider.value : null,
    evidence: openEvidenceStore(place),
    archive: {
      observe: (signature) => env.ARCHIVE.getByName(profile).observeTurn(signature),
      name: (turns) => env.ARCHIVE.getByName(profile).nameTurns(turns),
    },
    sessions: {
      recent: (limit) => env.ACCOUNT.getByName(profile).listSessions({ limit }),
      find: (sessions) => env.ACCOUNT.getByName(profile).findSessions(sessions),
      rename: (title) => env.ACCOUNT.getByName(profile).renameSession(session, title),
    },
    messages: {
      async put(turn, year) {
        const part = env.ARCHIVE.getByName(year === null ? profile : `${profile}/${year}`);
        const put = (await part.putMessages(turn)) as Result<PutAnswer>;
        if (!put.ok) throw new Error(`${put.failure.code}: ${put.failure.message}`);
        return put.value.stored ? null : put.value.year;
      },
      search: (query) => env.ARCHIVE.getByName(profile).searchMessages(query),
      around: (of, n, before, after) => env.ARCHIVE.getByName(profile).messagesAround(of, n, before, after),
      rename: (of, title) => env.ARCHIVE.getByName(profile).renameSession(of, title),
    },
    web: openWeb(env, settings, outbound, (problem) => console.error(`session ${session}: web_search: ${problem}`)),
    pending: openPendingStore(place),
    reviews: openReviewStore(place),
    queue: toQueue(env.REVIEWS),
    account: {
      reserveReview: (request) => env.ACCOUNT.getByName(profile).reserveReview(request),
      reserveTurn: (request) => env.ACCOUNT.getByName(profile).reserveTurn(request),
      book: (booking) => env.ACCOUNT.getByName(profile).book(booking),
      tellFollowers: () => env.ACCOUNT.getByName(profile).tellFollowers(),
    },
    approvals: {
      read: () => env.ACCOUNT.getByName(profile).readApprovals(),
      allow: (allowance) => env.ACCOUNT.getByName(profile).allow(allowance) as Promise<Result<null>>,
      revoke: async (id) => (await env.ACCOUNT.getByName(profile).revokeAllowance(id)).ok,
    },
    mcp: {
      dialer: createMcpDialer(
        openMcpDeps(account, { outbound, sealer: openSealer(env, profile), exec: exec.ok ? exec.value : null }),
      ),
      storeCatalog: (server, catalog) => storeCatalog(account, server, catalog),
    },
    readProfileSettings: account.readSettings,
    goals: openGoals(env, profile, session),
    profileJobs: openJobs(env, profile),
    children: openChildren(env, profile, session),
    channels: { take: (delivery) => openTaker(env, profile, delivery).takeDelivery(delivery) },
    board: { open: (name) => toBoardCalls(env.BOARD.getByName(`${profile}/${name}`) as unknown as BoardCallee) },
    experiments: { take: (asked) => openExperiments(env, profile).take(asked) },
    hooks: { take: (event) => env.ACCOUNT.getByName(profile).takeHookEvent(event) },
    background: (work) => ctx.waitUntil(work),
    report: (what, error) => console.error(`session ${session}: ${what}: ${messageOf(error)}`),
  };
}

/** The object that began the turn, which hears what it says. */
function openTaker(env: SessionEnv, profile: ProfileId, { origin }: SessionDelivery) {
  const beginner = readBeginner(origin);
  switch (beginner.kind) {
    case "channel":
      return env.CHANNELS.getByName(profile);
    case "webhook":
      return env.WEBHOOKS.getByName(profile);
    case "job":
      return env.AGENDA.getByName(profile);
    case "card":
      return env.BOARD.getByName(`${profile}/${beginner.board}`);
  }
}

/** The children of a session are objects of the same profile: their names are built from it. */
function openChildren(env: SessionEnv, profile: ProfileId, parent: SessionId): ChildPort {
  const open = (session: SessionId) => env.SESSION.getByName(`${profile}/${session}`) as unknown as ChildRpc;
  const register = (session: SessionId, { title, learning, createdAt }: ChildTask): Promise<boolean> =>
    env.ACCOUNT.getByName(profile).registerSession({ session, title, learning, createdAt, kind: "delegated", parent });
  return {
    begin: async (child, task) => ((await register(child, task)) ? open(child).beginChild(task) : SESSION_GONE),
    stop: async (child, task) => ((await register(child, task)) ? open(child).stopChild(task) : SESSION_GONE),
    look: (child) => open(child).lookAtChild(),
    report: (to, child, report) => open(to).takeReport(child, report),
  };
}

/** The calls of a Session that are needed here. */
interface ChildRpc {
  beginChild(task: ChildTask): Promise<Result<null>>;
  stopChild(task: ChildTask): Promise<Result<null>>;
  lookAtChild(): ReturnType<ChildPort["look"]>;
  takeReport(child: SessionId, report: ChildReport): Promise<void>;
}

function toAlarm(storage: DurableObjectStorage): Alarm {
  return {
    set: (at) => (at === null ? storage.deleteAlarm() : storage.setAlarm(at)),
  };
}
