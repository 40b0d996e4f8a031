// The failure codes of a model call. Each has what the caller may do about it, and a sentence for a person. Read by failures.ts
// and failure-rules.ts. Pure data.
import type { ModelFailure } from "../../agent/contract.ts";

/** `sentence` follows the provider's name. */
type FailureRow = Pick<ModelFailure, "retry" | "compact" | "rotateKey" | "fallBack" | "dropNative" | "dropImages"> & {
  sentence: string;
};

/** A temporary failure of the provider: repeat the call, then use another model. The key is not at fault. */
const TEMPORARY = { retry: true, compact: false, rotateKey: false, fallBack: true };
/** This model would refuse the same call again: use another model. */
const THIS_MODEL = { retry: false, compact: false, rotateKey: false, fallBack: true };
/** The key or its account is refused: use another key, then another model. */
const THIS_KEY = { retry: false, compact: false, rotateKey: true, fallBack: true };
/** The request is too long: compact the conversation, then use another model. */
const TOO_LONG = { retry: false, compact: true, rotateKey: false, fallBack: true };
const NOTHING_HELPS = { retry: false, compact: false, rotateKey: false, fallBack: false };

/**
 * Each code with its decisions. A failure of the key rotates keys; a failure of the model or provider falls back to another model.
 * A key is never suspended for a failure that every key would meet. `fallBack` is also set where compaction comes first: a model with
 * a larger window may accept a request that cannot be shortened.
 */
export const MODEL_FAILURES = {
  rate_limit: {
    retry: true,
    compact: false,
    rotateKey: true,
    fallBack: true,
    sentence: "limits the rate of requests; wait, then try again",
  },
  overloaded: { ...TEMPORARY, sentence: "has no capacity now; try again later or choose another model" },
  auth: { ...THIS_KEY, sentence: "does not accept the key; check the key and its permissions" },
  billing: {
    ...THIS_KEY,
    sentence: "refuses because the account has no credit or quota left; top it up or use another key",
  },
  context_overflow: {
    ...TOO_LONG,
    sentence:
      "says the conversation does not fit the model's context window; shorten it or choose a model with a larger window",
  },
  // The model could read the request, but this account may not send it. Another key may help; a retry does not.
  long_context_tier: {
    retry: false,
    compact: true,
    rotateKey: true,
    fallBack: true,
    sentence: "says this request is longer than the account's plan allows; shorten it or upgrade the plan",
  },
  answer_limit: { ...THIS_MODEL, sentence: "does not allow answers that long; lower turn.maxOutputTokens" },
  payload_too_large: { ...TOO_LONG, sentence: "says this request is too large; send less at once" },
  content_refused: { ...THIS_MODEL, sentence: "refuses this content; rephrase it" },
  // The account's owner restricts where data may go. Another model would circumvent that.
  provider_policy_blocked: {
    ...NOTHING_HELPS,
    sentence:
      "cannot route this request: the account's privacy settings exclude every host of the model; change them there",
  },
  model_missing: {
    ...THIS_MODEL,
    sentence: "does not know this model, or the key may not use it; check the model's name",
  },
  wrong_address: {
    ...THIS_MODEL,
    sentence: "has nothing at this address; check the base URL, which usually ends in /v1",
  },
  // Tool support is an option of the server's start, so a retry does not help.
  tools_unsupported: {
    ...THIS_MODEL,
    sentence:
      "is not configured for tools; start llama.cpp with --jinja, vLLM with --enable-auto-tool-choice and --tool-call-parser, or choose a model that supports tools",
  },
  model_unloadable: {
    ...THIS_MODEL,
    sentence: "cannot load this model; give the server more memory, update it, or choose another model",
  },
  images_refused: {
    ...THIS_MODEL,
    dropImages: true,
    sentence: "does not take an image of this conversation; send a smaller one, or choose a model that reads images",
  },
  // The next model may use another wire format and accept the request. A refusal costs nothing. The invalid part may be native data
  // of an earlier answer, which would make every later call fail too.
  bad_request: {
    ...THIS_MODEL,
    dropNative: true,
    dropImages: true,
    sentence: "rejected the request as invalid; the reply says what to change",
  },
  // Signed thinking or encrypted reasoning that this key and model did not produce.
  native_refused: {
    ...THIS_MODEL,
    dropNative: true,
    sentence: "does not accept its earlier reasoning back; the conversation can continue without it",
  },
  server_error: { ...TEMPORARY, sentence: "had an internal error; try again" },
  timeout: { ...TEMPORARY, sentence: "did not answer in time; try again" },
  stream_stalled: { ...TEMPORARY, sentence: "started to answer and then stalled; try again" },
  stream_cut: { ...TEMPORARY, sentence: "closed the connection in the middle of its answer; try again" },
  stream_malformed: {
    ...TEMPORARY,
    sentence: "sent an answer that does not follow its protocol; check the address, then try again",
  },
  // A retry would cost as much and most likely be too large again.
  answer_too_large: { ...THIS_MODEL, sentence: "gave an answer that is too large to store; ask for less at once" },
  url_refused: {
    ...THIS_MODEL,
    sentence: "has an address, or redirects to one, that the URL policy refuses; use a public http or https address",
  },
  network: { ...TEMPORARY, sentence: "could not be reached; check the address and the network, then try again" },
  aborted: { ...NOTHING_HELPS, sentence: "did not finish: the call was cancelled" },
} as const satisfies Record<string, FailureRow>;

export type ModelFailureCode = keyof typeof MODEL_FAILURES;
