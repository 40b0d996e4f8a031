// The bindings and variables of the api Worker, and its settings. Set by wrangler.toml and `npm run deploy`.
import { parseSettings } from "../../core/limits.ts";
import type { ModelEnv } from "../../core/models/model-env.ts";
import type { CurationMessage } from "../../core/schemas/learning/curation.ts";
import type { ReviewMessage } from "../../core/schemas/learning/review.ts";
import type { Settings } from "../../core/schemas/settings.ts";
import { type ExecEnv, mayUseExec, parseExecEnv } from "../../core/tools/host/exec-env.ts";
import type { TrainingEnv } from "../../core/training/training-env.ts";
import type { Account } from "../../durable-objects/account.ts";
import type { Agenda } from "../../durable-objects/agenda/agenda.ts";
import type { Archive } from "../../durable-objects/archive.ts";
import type { Board } from "../../durable-objects/board/board.ts";
import type { DiscordSocket } from "../../durable-objects/channels/discord-socket.ts";
import type { Channels } from "../../durable-objects/channels/channels.ts";
import type { Webhooks } from "../../durable-objects/webhooks/webhooks.ts";
import type { AccessEnv } from "../../wiring/access.ts";
import type { SealingEnv } from "../../wiring/sealing.ts";
import { AppError } from "./problems.ts";

export interface Env extends ModelEnv, ExecEnv, TrainingEnv, SealingEnv, AccessEnv {
  SESSION: DurableObjectNamespace;
  ACCOUNT: DurableObjectNamespace<Account>;
  ARCHIVE: DurableObjectNamespace<Archive>;
  CHANNELS: DurableObjectNamespace<Channels>;
  DISCORD_SOCKET: DurableObjectNamespace<DiscordSocket>;
  EMAIL?: SendEmail;
  WEBHOOKS: DurableObjectNamespace<Webhooks>;
  AGENDA: DurableObjectNamespace<Agenda>;
  BOARD: DurableObjectNamespace<Board>;
  EXPERIMENTS: DurableObjectNamespace;
  REPLAY: DurableObjectNamespace;
  SKILLS: R2Bucket;
  MEMORY: KVNamespace;
  REVIEWS: Queue<ReviewMessage>;
  CURATION: Queue<CurationMessage>;
  /** The files of the page at /docs. */
  ASSETS?: Fetcher;
  TALARIA_SETTINGS?: string;
  TALARIA_PUBLIC_URL?: string;
  /** Set by `npm start`: platforms that can be polled are polled where there is no public address. */
  TALARIA_POLL_CHANNELS?: string;
  /** The profile whose public skills are served at the root of this host. */
  TALARIA_PUBLIC_PROFILE?: string;
}

/** The variable never changes while an isolate lives, and each request reads it more than once. */
let parsed: { json: string | undefined; settings: ReturnType<typeof parseSettings> } | null = null;

export function parseEnvSettings({ TALARIA_SETTINGS: json }: Pick<Env, "TALARIA_SETTINGS">): Settings {
  if (!parsed || parsed.json !== json) parsed = { json, settings: parseSettings(json) };
  const { settings } = parsed;
  if (!settings.ok) throw new AppError("bad_settings", `${settings.failure.message.replace(/\.?$/, "")}.`);
  return settings.value;
}

/** Throws unless the deployment has an exec host that sessions of this profile may use. */
export function assertExecHost(env: Env, profile: string): void {
  const config = parseExecEnv(env);
  if (config.ok && mayUseExec(config.value, profile)) return;
  const detail =
    config.ok && config.value
      ? "The operator did not allow this profile to use the exec host. Have them add it to TALARIA_EXEC_PROFILES."
      : "This deployment has no exec host. Start it with `npm start -- --shell FOLDER`, or leave `backend` out.";
  throw new AppError("backend_unavailable", detail);
}
