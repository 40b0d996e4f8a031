// Every way a model call can fail, what the caller may do about it, and the sentence for a person. Read by failures.ts and
// failure-rules.ts. Pure data.
import type { ModelFailure } from "../../agent/contract.ts";

/** `sentence` follows the provider's name. */
type Row = Pick<ModelFailure, "retry" | "compact" | "rotateKey" | "fallBack" | "dropNative"> & { sentence: string };

/** A temporary failure of the provider: repeat the call, then use another model. The key is not at fault. */
const PASSING = { retry: true, compact: false, rotateKey: false, fallBack: true };
/** This model would refuse the same call again. */
const THIS_MODEL = { retry: false, compact: false, rotateKey: false, fallBack: true };
const THIS_KEY = { retry: false, compact: false, rotateKey: true, fallBack: true };
const TOO_LONG = { retry: false, compact: true, rotateKey: false, fallBack: true };
const NOTHING_HELPS = { retry: false, compact: false, rotateKey: false, fallBack: false };

/**
 * Each code with its decisions. A failure of the key rotates keys; a failure of the model or provider falls back to another model.
 * A key is never put aside for a failure that every key would meet. `fallBack` is also set where compaction comes first, since a
 * model with a larger window may take a request that cannot be shortened.
 */
export const MODEL_FAILURES = {
  rate_limit: {
    ...{ retry: true, compact: false, rotateKey: true, fallBack: true },
    sentence: "asks for fewer requests; wait, then try again",
  },
  overloaded: { ...PASSING, sentence: "has no capacity now; try again later or choose another model" },
  auth: { ...THIS_KEY, sentence: "does not accept the key; check the key and what it may use" },
  billing: {
    ...THIS_KEY,
    sentence: "wants to be paid: the account has no credit or quota left; top it up or use another key",
  },
  context_overflow: {
    ...TOO_LONG,
    sentence:
      "says the conversation is longer than the model can read; shorten it or choose a model with a larger window",
  },
  // The model could read the request, but this account may not send it. So another key may help, and a retry does not.
  long_context_tier: {
    ...{ retry: false, compact: true, rotateKey: true, fallBack: true },
    sentence: "says this one request is longer than the account's plan allows; shorten it or raise the plan",
  },
  answer_limit: { ...THIS_MODEL, sentence: "gives no answers as long as was asked for; lower turn.maxOutputTokens" },
  payload_too_large: { ...TOO_LONG, sentence: "says this one request is too large; send less at once" },
  content_refused: { ...THIS_MODEL, sentence: "refuses this content; say it differently" },
  // The account's owner restricts where data may go. Another model would circumvent that.
  provider_policy_blocked: {
    ...NOTHING_HELPS,
    sentence:
      "may not pass this on: the privacy settings of the account exclude every host of the model; change them there",
  },
  model_missing: {
    ...THIS_MODEL,
    sentence: "does not know this model, or the key may not use it; check the model's name",
  },
  wrong_address: {
    ...THIS_MODEL,
    sentence: "has nothing at this address; check the base URL, which usually ends in /v1",
  },
  // Set when the server is started, so a retry does not help.
  tools_unsupported: {
    ...THIS_MODEL,
    sentence:
      "does not take tools as it is set up; start llama.cpp with --jinja, vLLM with --enable-auto-tool-choice and --tool-call-parser, or choose a model that supports tools",
  },
  model_unloadable: {
    ...THIS_MODEL,
    sentence: "cannot load this model; give the server more memory, update it, or choose another model",
  },
  // Each wire and server gets a different request, so the next one may accept it; a refusal costs nothing. The invalid part may be
  // native data of an earlier answer, which would fail in every later call too.
  bad_request: { ...THIS_MODEL, dropNative: true, sentence: "calls the request wrong; the reply says what to change" },
  // Signed thinking or encrypted reasoning that this key and model did not produce.
  native_refused: {
    ...THIS_MODEL,
    dropNative: true,
    sentence: "does not accept its earlier reasoning back; the conversation can go on without it",
  },
  server_error: { ...PASSING, sentence: "had an error of its own; try again" },
  timeout: { ...PASSING, sentence: "did not answer in time; try again" },
  stream_stalled: { ...PASSING, sentence: "began to answer and then said nothing more; try again" },
  stream_cut: { ...PASSING, sentence: "stopped in the middle of its answer; try again" },
  stream_malformed: {
    ...PASSING,
    sentence: "answered with something that is not its protocol; check the address, then try again",
  },
  // A retry would cost as much and most likely be too large again.
  answer_too_large: { ...THIS_MODEL, sentence: "gave an answer larger than can be kept; ask for less at once" },
  network: { ...PASSING, sentence: "could not be reached; check the address and the network, then try again" },
  aborted: { ...NOTHING_HELPS, sentence: "was not waited for: the call was stopped" },
} as const satisfies Record<string, Row>;

export type ModelFailureCode = keyof typeof MODEL_FAILURES;
