// The host of a replay: that of a session, with nothing that reaches outside. Each field is named, so that a new port of a session must be
// judged here before it compiles. This is the second lock: calls that reach outside are answered from the recording before they run.
// Called by replay-engine.ts.
import type { ReplayOrder } from "../../experiments/ports.ts";
import { ok } from "../../errors.ts";
import type { SessionHost } from "../context.ts";
import { toInert, toInertProvider, toInertWeb, toReadOnlyMemory } from "./inert-ports.ts";
import { type OverlaidText, toReplayLibrary } from "./replay-library.ts";
import type { ReplayPart } from "./replay-part.ts";

export interface ReplayHostOptions {
  order: ReplayOrder;
  /** Its clock minus the real one; 0 before the turn has begun. */
  shiftMs(): number;
  text: OverlaidText["files"];
  replay: ReplayPart;
}

type Fields<Host> = { [Field in keyof Required<Host>]: Host[Field] | undefined };

export function toReplayHost(host: SessionHost, options: ReplayHostOptions): SessionHost {
  const { order, shiftMs, replay } = options;
  const isExact = order.arm === "recorded";
  const fields = {
    profile: host.profile,
    // Operation ids, cache keys and citations are those of the source.
    session: order.source.session,
    sql: host.sql,
    alarm: { set: (at) => host.alarm.set(at === null ? null : at - shiftMs()) },
    clock: { now: () => host.clock.now() + shiftMs(), sleep: (ms, signal) => host.clock.sleep(ms, signal) },
    random: host.random,
    token: host.token,
    settings: isExact ? host.settings : withoutHoldOut(host.settings),
    models: isExact ? host.models : (slot, first) => pickModels(host, slot, first),
    modelChoices: host.modelChoices,
    seeds: isExact ? host.seeds : without(host.seeds, order.skill),
    // A tool of the deployment runs only if it says that it stays inside.
    moreTools: host.moreTools,
    skills: toReplayLibrary(host.skills, isExact ? null : { name: order.skill, files: options.text }, shiftMs),
    // The index of skills knows the tested text under its real name.
    search: undefined,
    runChecks: host.runChecks,
    // Code runs in it; the tools that code calls are judged as others.
    sandbox: host.sandbox,
    exec: host.exec && toInert<NonNullable<SessionHost["exec"]>>("the exec host"),
    isSet: host.isSet,
    memory: (overlay) => toReadOnlyMemory(host.memory(overlay)),
    pending: host.pending && toInert<NonNullable<SessionHost["pending"]>>("what waits for approval"),
    outbound: host.outbound && toInert<NonNullable<SessionHost["outbound"]>>("the way out"),
    imageMaker: host.imageMaker && toInert<NonNullable<SessionHost["imageMaker"]>>("the maker of images"),
    memoryProvider: host.memoryProvider && toInertProvider(host.memoryProvider),
    evidence: toInert<SessionHost["evidence"]>("evidence"),
    archive: undefined,
    messages: host.messages && toInert<NonNullable<SessionHost["messages"]>>("the index of messages"),
    sessions: host.sessions && toInert<NonNullable<SessionHost["sessions"]>>("the list of sessions"),
    web: host.web && toInertWeb(host.web),
    reviews: toInert<SessionHost["reviews"]>("reviews"),
    queue: toInert<SessionHost["queue"]>("the queue"),
    // The grant is in the order, and the report says what was spent.
    account: {
      reserveReview: async () => ({ granted: false, shed: true }),
      reserveTurn: async () => ({ tokens: 0, usdMicros: 0 }),
      book: async () => {},
    },
    approvals: undefined,
    readProfileSettings: undefined, // copied with the session
    mcp: host.mcp && { dialer: toInert("MCP servers"), storeCatalog: async () => {} },
    children: host.children && toInert<NonNullable<SessionHost["children"]>>("other sessions"),
    board: host.board && { open: () => toInert("boards") },
    goals: host.goals && toInert<NonNullable<SessionHost["goals"]>>("goals"),
    profileJobs: host.profileJobs && toInert<NonNullable<SessionHost["profileJobs"]>>("jobs"),
    experiments: undefined,
    hooks: undefined,
    channels: undefined,
    replay,
    isUnattended: host.isUnattended,
    background: host.background,
    report: host.report,
  } satisfies Fields<SessionHost>;
  return Object.fromEntries(Object.entries(fields).filter(([, port]) => port !== undefined)) as unknown as SessionHost;
}

function withoutHoldOut(settings: SessionHost["settings"]): SessionHost["settings"] {
  return { ...settings, learning: { ...settings.learning, holdOut: 0 } };
}

/** The slot `replay` in place of `turn`. What the session chose counts only where the operator has no models for replays. */
function pickModels(
  host: SessionHost,
  ...[slot, first]: Parameters<SessionHost["models"]>
): ReturnType<SessionHost["models"]> {
  if (slot !== "turn") return host.models(slot, first);
  const [own, turns] = [host.models("replay"), host.models("turn")];
  if (!own.ok || !turns.ok) return own;
  const names = (models: typeof own.value) => models.map(({ name }) => name).join(" ");
  return names(own.value) === names(turns.value) ? host.models("turn", first) : ok(own.value);
}

function without<T>(record: Record<string, T>, name: string): Record<string, T> {
  const { [name]: _, ...others } = record;
  return others;
}
