// Opens the provider that makes images for `image_generate`. Called by the Session object.
import { type ImageMakerDeps, createImageMaker } from "../core/models/image-maker.ts";
import type { ModelEnv } from "../core/models/model-env.ts";
import { findImageApi } from "../core/models/routing.ts";
import type { Settings } from "../core/schemas/settings.ts";

/** `null`: no key is set for the model of `images.model`, or it is empty. */
export function openImageMaker(env: ModelEnv, settings: Settings, outbound: ImageMakerDeps["outbound"]) {
  const api = findImageApi(env, settings.images.model);
  return api.ok ? createImageMaker(api.value, { outbound, settings }) : null;
}
