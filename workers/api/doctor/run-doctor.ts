// One check-up of the server: runs every check at once, each with its own time, and adds up what the model calls used. Called by
// doctor.ts, which loads it when it is asked for.
import { ulid } from "ulid";
import type { ProfileId, SessionId } from "../../../core/schemas/ids.ts";
import type { DoctorLine, DoctorPing, DoctorReport } from "../../../core/schemas/doctor.ts";
import { mapLimit } from "../../../core/map-limit.ts";
import { applyPreferences } from "../../../core/preferences.ts";
import { readModelName } from "../../../core/models/routing.ts";
import { openExecHost } from "../../../wiring/exec.ts";
import { openExperiments } from "../../../wiring/experiments.ts";
import { openModelProbes, readModelSlots } from "../../../wiring/models.ts";
import { openOutbound } from "../../../wiring/outbound.ts";
import { toBucket } from "../../../stores/platform/r2.ts";
import type { AgendaCheckUp } from "../../../durable-objects/agenda/context.ts";
import { type Env, parseEnvSettings } from "../env.ts";
import { unwrap } from "../problems.ts";
import { readSources } from "../profiles/settings.ts";
import { openMcpAccount } from "../mcp-servers/mcp-account.ts";
import { openAccount, openSession } from "../sessions/session-rpc.ts";
import { openAgenda, openBoard, openChannels, openWebhooks, readReachability } from "./open-objects.ts";
import { CHANNELS_FIX, checkChannels, checkWebhooks } from "./check-channels.ts";
import { MAX_MODEL_CALLS, type Spent, tryModels } from "./check-models.ts";
import {
  EXEC_FIX,
  OBJECTS_FIX,
  checkExecHost,
  checkMcpServer,
  checkObjects,
  checkOutbound,
  mcpFix,
  tellNoModel,
  tellRehearsal,
} from "./check-services.ts";
import {
  BUCKET_FIX,
  CRON_FIX,
  type DoctorStores,
  KV_FIX,
  QUEUE_FIX,
  checkBucket,
  checkCron,
  checkKv,
  checkQueue,
} from "./check-stores.ts";
import { checkExperiments } from "./check-experiments.ts";
import { WORK_FIX, checkAgenda, checkBoard } from "./check-work.ts";
import { bad, guard, warn } from "./lines.ts";

const STORE_MS = 10_000;
const QUEUE_MS = 20_000;
const SERVICE_MS = 25_000;
const CALLS_AT_ONCE = 4;
const MAX_MCP_SERVERS = 10;
const MAX_WEBHOOKS = 20;

/** `profile`: whose objects and MCP servers are looked at; absent for the operator. */
export async function runDoctor(env: Env, version: string, profile: ProfileId | undefined): Promise<DoctorReport> {
  const began = Date.now();
  const spent: Spent = { modelCalls: 0, tokens: 0, usd: 0 };
  const stores = toStores(env, version);
  const groups = await Promise.all([
    checkModels(env, spent),
    guard({ check: "R2", fix: BUCKET_FIX, ms: STORE_MS }, () => checkBucket(stores)),
    guard({ check: "KV", fix: KV_FIX, ms: STORE_MS }, () => checkKv(stores)),
    guard({ check: "queue", fix: QUEUE_FIX, ms: QUEUE_MS + STORE_MS }, () => checkQueue(stores, QUEUE_MS)),
    guard({ check: "cron", fix: CRON_FIX, ms: STORE_MS }, () => checkCron(stores)),
    checkServices(env, profile),
  ]);
  const lines = groups.flat();
  return { version, at: Date.now(), ms: Date.now() - began, lines, spent };
}

function toStores(env: Env, version: string): DoctorStores {
  return {
    bucket: toBucket(env.SKILLS),
    kv: env.MEMORY,
    queue: env.REVIEWS as unknown as Queue<DoctorPing>,
    now: () => Date.now(),
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    version,
    newPing: ulid,
  };
}

async function checkModels(env: Env, spent: Spent): Promise<DoctorLine[]> {
  const settings = parseEnvSettings(env);
  const probes = openModelProbes(env, settings, openOutbound(env, settings));
  if (!probes.ok) return [tellNoModel(probes.failure.message)];
  const lines = await tryModels(probes.value, spent);
  const left = probes.value.length - MAX_MODEL_CALLS;
  const more =
    left > 0
      ? [
          warn(
            "models",
            `${left} more keys were not tried`,
            "Check them one deployment at a time, or name fewer models.",
          ),
        ]
      : [];
  return [...(readModelName(env).startsWith("rehearsal") ? [tellRehearsal()] : []), ...lines, ...more];
}

async function checkServices(env: Env, profile: ProfileId | undefined): Promise<DoctorLine[]> {
  const settings = parseEnvSettings(env);
  const outbound = openOutbound(env, settings);
  const way = guard({ check: "outbound", fix: "Look for the error in the Worker's log.", ms: STORE_MS }, () =>
    checkOutbound(outbound, settings.outbound.allow.length),
  );
  const exec = checkExec(env, profile, outbound);
  const own =
    profile === undefined
      ? []
      : [
          checkOwnObjects(env, profile),
          checkMcpServers(env, profile),
          checkOwnChannels(env, profile),
          checkOwnWebhooks(env, profile),
          checkOwnWork(env, profile),
          checkOwnExperiments(env, profile),
        ];
  return (await Promise.all([way, exec, ...own])).flat();
}

/** The operator sees the host as a profile that may use it does. */
async function checkExec(
  env: Env,
  profile: ProfileId | undefined,
  outbound: ReturnType<typeof openOutbound>,
): Promise<DoctorLine[]> {
  const check = "exec host";
  const host = openExecHost(
    profile === undefined ? { ...env, TALARIA_EXEC_PROFILES: "*" } : env,
    profile ?? "",
    outbound,
  );
  if (!host.ok) return [bad(check, host.failure.message, EXEC_FIX)];
  const { value } = host;
  return value === null ? [] : guard({ check, fix: EXEC_FIX, ms: STORE_MS }, (signal) => checkExecHost(value, signal));
}

function checkOwnObjects(env: Env, profile: ProfileId): Promise<DoctorLine[]> {
  const account = openAccount(env, profile);
  return guard({ check: "tables of the account", fix: OBJECTS_FIX, ms: STORE_MS }, () =>
    checkObjects({
      readAccount: async () => account.readSettings(),
      newestSession: async () => (await account.listSessions({ limit: 1 }))[0]?.session ?? null,
      readSession: async (session) => unwrap(await openSession(env, profile, session as SessionId).listCheckpoints()),
    }),
  );
}

function checkOwnChannels(env: Env, profile: ProfileId): Promise<DoctorLine[]> {
  return guard({ check: "channels", fix: CHANNELS_FIX, ms: STORE_MS }, async () =>
    checkChannels(await openChannels(env, profile).list(), readReachability(env)),
  );
}

function checkOwnWebhooks(env: Env, profile: ProfileId): Promise<DoctorLine[]> {
  return guard({ check: "webhooks", fix: CHANNELS_FIX, ms: STORE_MS }, async () => {
    const object = openWebhooks(env, profile);
    const routes = (await object.list()).slice(0, MAX_WEBHOOKS);
    const latest = await mapLimit(routes, CALLS_AT_ONCE, async (route) => {
      const listed = await object.listDeliveries(route.name, { before: null, limit: 1 });
      return { route, latest: listed.ok ? (listed.value.deliveries[0] ?? null) : null };
    });
    return checkWebhooks(latest, readReachability(env));
  });
}

/** Jobs and goals first: their object names the boards. */
async function checkOwnWork(env: Env, profile: ProfileId): Promise<DoctorLine[]> {
  let found: AgendaCheckUp | null = null;
  const lines = await guard({ check: "agenda", fix: WORK_FIX, ms: STORE_MS }, async () => {
    found = await openAgenda(env, profile).checkUp();
    return checkAgenda(found, Date.now());
  });
  const { boards = [], roles = [] } = (found ?? {}) as Partial<AgendaCheckUp>;
  const ofBoards = await mapLimit(boards, CALLS_AT_ONCE, (name) =>
    guard({ check: `board ${name}`, fix: WORK_FIX, ms: STORE_MS }, async () =>
      checkBoard(name, unwrap(await openBoard(env, profile, name).stats()), roles),
    ),
  );
  return [...lines, ...ofBoards.flat()];
}

function checkOwnExperiments(env: Env, profile: ProfileId): Promise<DoctorLine[]> {
  return guard({ check: "experiments", fix: WORK_FIX, ms: STORE_MS }, async () => {
    const { operator, own } = await readSources(env, profile);
    const settings = applyPreferences(operator, own);
    const slot = readModelSlots(env, settings).find((one) => one.slot === "replay");
    const sum = await openExperiments(env, profile).sum({ since: 0 });
    return checkExperiments(sum, { tokens: settings.review.replayTokens, model: slot?.models[0]?.name ?? null });
  });
}

async function checkMcpServers(env: Env, profile: ProfileId): Promise<DoctorLine[]> {
  const account = openMcpAccount(env, profile);
  const all = await account.list().catch(() => []); // the account's own line says why
  const entries = all.filter(({ config }) => config.enabled !== false).slice(0, MAX_MCP_SERVERS);
  const lines = await mapLimit(entries, CALLS_AT_ONCE, (entry) =>
    guard({ check: `MCP server ${entry.name}`, fix: mcpFix(entry.name), ms: SERVICE_MS }, () =>
      checkMcpServer(entry, account.ask),
    ),
  );
  return lines.flat();
}
