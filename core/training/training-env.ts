// The environment variables that name a training service. Read by the API and by the scripts that pass variables on. Pure. No failure
// contains the token.
import { type Result, err, ok } from "../errors.ts";

export const TRAINING_SECRETS = ["TALARIA_TRAINING_TOKEN"] as const;
export const TRAINING_VARIABLES = ["TALARIA_TRAINING_URL"] as const;

/** What an operator may set. An empty variable counts as absent. */
export type TrainingEnv = {
  [Name in (typeof TRAINING_SECRETS)[number] | (typeof TRAINING_VARIABLES)[number]]?: string;
};

export interface TrainingConfig {
  /** Without a trailing slash. */
  baseUrl: string;
  token: string;
}

/** `null`: there is no training service. Failures: `bad_training_url`, `training_token_missing`. */
export function parseTrainingEnv(env: TrainingEnv): Result<TrainingConfig | null> {
  const given = env.TALARIA_TRAINING_URL?.trim() ?? "";
  const token = env.TALARIA_TRAINING_TOKEN?.trim() ?? "";
  if (given === "") return ok(null);
  const url = URL.parse(given);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    return err(
      "bad_training_url",
      "TALARIA_TRAINING_URL must be the address of a training service, such as https://training.example. Fix or unset it.",
    );
  }
  if (!/^[\x21-\x7e]{16,500}$/.test(token)) {
    return err(
      "training_token_missing",
      "TALARIA_TRAINING_URL is set, so TALARIA_TRAINING_TOKEN must hold the token of that service, of 16 characters or more.",
    );
  }
  return ok({ baseUrl: url.href.replace(/\/$/, ""), token });
}
