// Opens the provider that turns voice messages into text. Called by the Channels object.
import type { ModelEnv } from "../core/models/model-env.ts";
import { findAudioApi } from "../core/models/routing.ts";
import { type Transcriber, createTranscriber } from "../core/models/transcriber.ts";
import type { Outbound } from "../core/outbound/outbound.ts";
import { type Result, err, ok } from "../core/errors.ts";
import type { Settings } from "../core/schemas/settings.ts";

/** Failure: `voice_unavailable`, with a sentence for the person. */
export function openTranscriber(env: ModelEnv, settings: Settings, outbound: Outbound): Result<Transcriber> {
  const api = findAudioApi(env, settings.voice.model);
  if (!api.ok) return err("voice_unavailable", "no provider for it is set up here. Write the message instead.");
  return ok(createTranscriber(api.value, { outbound, settings, boundary: () => `talaria-${crypto.randomUUID()}` }));
}
