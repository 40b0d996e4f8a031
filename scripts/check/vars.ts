// Validates the variables for the Workers, with the Workers' own parsers, before anything starts. Called by start, demo and deploy.
// Never prints a secret.
import { parseSettings } from "../../core/limits.ts";
import { parseProviderEnv } from "../../core/memory/provider-env.ts";
import { checkModels } from "../../core/models/routing.ts";
import { parseExecEnv } from "../../core/tools/host/exec-env.ts";
import { parseTrainingEnv } from "../../core/training/training-env.ts";
import { openSearch } from "../../core/tools/web/search/search-env.ts";
import { ProfileId } from "../../core/schemas/ids.ts";
import { PlainError } from "../command-line.ts";
import { selectWorkerVars } from "../stack/worker-vars.ts";

type Env = Record<string, string | undefined>;

/** Throws a PlainError that names the first invalid variable. */
export function checkVars(env: Env): void {
  const vars = selectWorkerVars(env, "");
  const settings = parseSettings(vars.TALARIA_SETTINGS);
  const search = settings.ok ? openSearch(vars, settings.value.web) : settings;
  const models = settings.ok ? checkModels(vars, settings.value.models) : settings;
  for (const result of [settings, models, parseProviderEnv(vars), parseExecEnv(vars), parseTrainingEnv(vars), search]) {
    if (!result.ok) throw new PlainError(toFix(result.failure.message));
  }
  const { TALARIA_PUBLIC_PROFILE: profile } = vars;
  if (profile && !ProfileId.safeParse(profile).success) {
    throw new PlainError("TALARIA_PUBLIC_PROFILE is not a profile id (26 letters and digits). Fix or unset it.");
  }
  readPublicUrl(env);
}

/** Public address of the operator's own proxy, from TALARIA_PUBLIC_URL; undefined when it is not set. */
export function readPublicUrl(env: Env): string | undefined {
  const given = env.TALARIA_PUBLIC_URL?.trim();
  if (!given) return undefined;
  const url = URL.parse(given);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.pathname !== "/" || url.search) {
    throw new PlainError(
      "TALARIA_PUBLIC_URL must be a scheme and a host, such as https://talaria.example. Fix or unset it.",
    );
  }
  return url.origin;
}

function toFix(message: string): string {
  if (!message.startsWith("TALARIA_SETTINGS")) return message;
  return `${message.replace(/(?<![.?])$/, ".")} Fix or unset TALARIA_SETTINGS; docs/CONFIGURATION.md has every setting.`;
}
