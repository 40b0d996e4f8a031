// What the experiments of a profile need, over the bindings: they become ports here and nowhere below. Every name of an object is built from the
// profile's id. Used by the Experiments object. The values cross unchanged; the platform's types lose some.
import { ulid } from "ulid";
import { messageOf } from "../../core/errors.ts";
import type {
  ExperimentHost,
  RecordedTurn,
  RecordedTurns,
  ReplayBudget,
  ReplayGrant,
  ReplayPort,
} from "../../core/experiments/ports.ts";
import type { ModelEnv } from "../../core/models/model-env.ts";
import { toHookEvent, toWithdrawn } from "../../core/hooks/hook-event.ts";
import type { ProfileId, SessionId } from "../../core/schemas/ids.ts";
import type { ExperimentId, ReplayId } from "../../core/schemas/learning/experiment.ts";
import type { HookEvent } from "../../core/schemas/profile/hooks.ts";
import type { Settings } from "../../core/schemas/settings.ts";
import { systemClock } from "../../stores/platform/system-clock.ts";
import { askDesk } from "../../wiring/ask-desk.ts";
import { runChecks } from "../../wiring/checks.ts";
import { openModels } from "../../wiring/models.ts";
import { openOutbound } from "../../wiring/outbound.ts";
import { type StoreScope, openBucket, openEvidenceStore, openSkillStore } from "../../wiring/stores.ts";
import type { AskedReplay, ReplayBooking } from "../ledger-replays.ts";
import { toSql } from "../sql.ts";

export interface ExperimentsEnv extends ModelEnv {
  SKILLS: R2Bucket;
  SESSION: DurableObjectNamespace;
  ACCOUNT: DurableObjectNamespace;
  ARCHIVE: DurableObjectNamespace;
  REPLAY: DurableObjectNamespace;
  TALARIA_SETTINGS?: string;
}

/** The calls of a Session that are needed here. */
interface RecordingSession {
  describeTurn(asked: { turn: number } | { entry: number }): Promise<RecordedTurn | null>;
  tellExperiment(id: ExperimentId, text: string): Promise<unknown>;
}

interface GrantingAccount {
  /** grant-desk.ts documents the calls. */
  grantDesk(): PromiseLike<Disposable> & {
    reserve(asked: AskedReplay): Promise<ReplayGrant | null>;
    book(booking: ReplayBooking): Promise<void>;
    release(id: string): Promise<void>;
  };
  tellFollowers(): Promise<void>;
  takeHookEvent(event: HookEvent): Promise<void>;
}

interface TurnSearch {
  findSimilarTurns: RecordedTurns["findSimilar"];
}

interface ReplayObject {
  begin: ReplayPort["begin"];
  look(): ReturnType<ReplayPort["look"]>;
  erase(): Promise<void>;
}

export function toExperimentHost(
  ctx: DurableObjectState,
  env: ExperimentsEnv,
  { profile, settings }: { profile: ProfileId; settings: Settings },
): ExperimentHost {
  const { storage } = ctx;
  const place: StoreScope = { bucket: openBucket(env.SKILLS), profile, settings };
  const outbound = openOutbound(env, settings);
  const session = (id: SessionId) => env.SESSION.getByName(`${profile}/${id}`) as unknown as RecordingSession;
  const report = (what: string, error: unknown) =>
    console.error(`experiments of ${profile}: ${what}: ${messageOf(error)}`);
  const judges = env.TALARIA_MODEL_JUDGE?.trim() ? openModels(env, settings, "judge", outbound) : null;
  if (judges && !judges.ok) report("judge", new Error(judges.failure.message));
  return {
    sql: toSql(storage),
    alarm: { set: (at) => (at === null ? storage.deleteAlarm() : storage.setAlarm(at)) },
    clock: systemClock,
    random: Math.random,
    newId: () => ulid(),
    settings,
    skills: openSkillStore(place),
    evidence: openEvidenceStore(place),
    turns: openTurns(env, profile, session),
    replays: openReplays(env, profile),
    budget: openBudget(env, profile),
    models: (slot) => openModels(env, settings, slot, outbound),
    ...(judges?.ok && { judges: judges.value }),
    runChecks,
    tell: async (to, id, text) => void (await session(to).tellExperiment(id, text)),
    tellFollowers: () => toAccount(env, profile).tellFollowers(),
    tellHooks({ experiment, ...withdrawn }) {
      const { data, ...named } = toWithdrawn(withdrawn);
      const event = toHookEvent({ ...named, profile, at: systemClock.now(), data: { experiment, ...data } });
      return toAccount(env, profile).takeHookEvent(event);
    },
    report,
  };
}

function openTurns(
  env: ExperimentsEnv,
  profile: ProfileId,
  session: (id: SessionId) => Pick<RecordingSession, "describeTurn">,
): RecordedTurns {
  const archive = () => env.ARCHIVE.getByName(profile) as unknown as TurnSearch;
  return {
    describe: ({ session: id, ...asked }) => session(id).describeTurn(asked),
    findSimilar: (asked) => archive().findSimilarTurns(asked),
  };
}

function openReplays(env: ExperimentsEnv, profile: ProfileId): ReplayPort {
  const open = (id: ReplayId) => env.REPLAY.getByName(`${profile}/${id}`) as unknown as ReplayObject;
  return {
    begin: (order) => open(order.id).begin(order),
    look: (id) => open(id).look(),
    erase: (id) => open(id).erase(),
  };
}

function openBudget(env: ExperimentsEnv, profile: ProfileId): ReplayBudget {
  const desk = () => toAccount(env, profile).grantDesk();
  return {
    reserve: (asked) => askDesk(desk(), (grants) => grants.reserve(asked)),
    book: (booking, grant) => askDesk(desk(), (grants) => grants.book({ booking, grant })),
    release: (id) => askDesk(desk(), (grants) => grants.release(id)),
  };
}

function toAccount(env: ExperimentsEnv, profile: ProfileId): GrantingAccount {
  return env.ACCOUNT.getByName(profile) as unknown as GrantingAccount;
}
