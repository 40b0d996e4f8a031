// The taxonomy: every way a model call ends without an answer, what may be done about it, and the sentence for a person.
// Read by failures.ts and failure-rules.ts. Pure data.
import type { ModelFailure } from "../../agent/contract.ts";

/** `sentence` follows the provider's name. */
type Row = Pick<ModelFailure, "retry" | "compact" | "rotateKey" | "fallBack" | "dropNative"> & { sentence: string };

/** What a failure of the provider's own is good for: the same call again, then another model. The key is not at fault. */
const PASSING = { retry: true, compact: false, rotateKey: false, fallBack: true };
/** The same call would be refused again by this model. */
const THIS_MODEL = { retry: false, compact: false, rotateKey: false, fallBack: true };
const THIS_KEY = { retry: false, compact: false, rotateKey: true, fallBack: true };
const TOO_LONG = { retry: false, compact: true, rotateKey: false, fallBack: true };
const NOTHING_HELPS = { retry: false, compact: false, rotateKey: false, fallBack: false };

/**
 * Each code with its four decisions. What concerns this key rotates, what concerns this model or provider falls back; a key
 * is never put aside for a fault that any other would have met. `fallBack` is also told where shortening comes first: a
 * model with a larger window may take what cannot be made shorter.
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
  // The model could read it; the account may not send it. So another key may do where another try may not.
  long_context_tier: {
    ...{ retry: false, compact: true, rotateKey: true, fallBack: true },
    sentence: "says this one request is longer than the account's plan allows; shorten it or raise the plan",
  },
  answer_limit: { ...THIS_MODEL, sentence: "gives no answers as long as was asked for; lower turn.maxOutputTokens" },
  payload_too_large: { ...TOO_LONG, sentence: "says this one request is too large; send less at once" },
  content_refused: { ...THIS_MODEL, sentence: "refuses this content; say it differently" },
  // The owner of the account has said where data may go: another model would go around that.
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
  // The server was started this way: a retry changes nothing.
  tools_unsupported: {
    ...THIS_MODEL,
    sentence:
      "does not take tools as it is set up; start llama.cpp with --jinja, vLLM with --enable-auto-tool-choice and --tool-call-parser, or choose a model that supports tools",
  },
  model_unloadable: {
    ...THIS_MODEL,
    sentence: "cannot load this model; give the server more memory, update it, or choose another model",
  },
  // Each wire and server gets a request of its own, so what one calls wrong the next may take; a refusal costs nothing. And
  // what is wrong may be what the model had said natively, which would be wrong in every later call too.
  bad_request: { ...THIS_MODEL, dropNative: true, sentence: "calls the request wrong; the reply says what to change" },
  // Signed thinking or encrypted reasoning that another key, another model or nobody had made.
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
  // A second try would cost as much and most likely run away again.
  answer_too_large: { ...THIS_MODEL, sentence: "gave an answer larger than can be kept; ask for less at once" },
  network: { ...PASSING, sentence: "could not be reached; check the address and the network, then try again" },
  aborted: { ...NOTHING_HELPS, sentence: "was not waited for: the call was stopped" },
} as const satisfies Record<string, Row>;

export type ModelFailureCode = keyof typeof MODEL_FAILURES;
