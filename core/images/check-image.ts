// Whether bytes are an image that may be stored and sent: its type, its size in bytes and in pixels. Used for images of messages,
// of tools and of providers. Pure.
import { type Result, err, ok } from "../errors.ts";
import { sha256Hex } from "../schemas/learning/digest.ts";
import type { ImageRef } from "../schemas/media/image.ts";
import type { Settings } from "../schemas/settings.ts";
import { readImageHeader } from "./read-header.ts";

export type ImageLimits = Pick<Settings["images"], "maxBytes" | "maxSide">;

/** `what` names the image in the sentence of a refusal. Failures: `image_type_refused`, `image_too_large`. */
export function checkImage(bytes: Uint8Array, what: string, limits: ImageLimits): Result<ImageRef> {
  const tooLarge = findTooManyBytes(bytes.length, what, limits);
  if (tooLarge) return tooLarge;
  const header = readImageHeader(bytes);
  if (!header) {
    return err(
      "image_type_refused",
      `${what} is not a PNG, JPEG, WebP or GIF image with a whole header. Send one of these.`,
    );
  }
  const { width, height } = header;
  if (Math.max(width, height) > limits.maxSide) {
    const message = `${what} has ${width} × ${height} pixels, and a side may have ${limits.maxSide}. Make it smaller.`;
    return err("image_too_large", message, { width, height });
  }
  return ok({ sha256: sha256Hex(bytes), bytes: bytes.length, ...header });
}

/** For callers that know the size before they read the bytes. */
export function findTooManyBytes(bytes: number, what: string, { maxBytes }: ImageLimits) {
  if (bytes <= maxBytes) return null;
  return err("image_too_large", `${what} has ${bytes} bytes, and an image may have ${maxBytes}. Make it smaller.`, {
    bytes,
  });
}

const DATA_URL = /^data:[^,]{0,200};base64,/i;

/** The bytes of a data URL. Failure: `image_type_refused`. `maxBytes`: a longer one is not decoded. */
export function decodeDataUrl(url: string, what: string, limits: ImageLimits): Result<Uint8Array> {
  const head = DATA_URL.exec(url)?.[0];
  if (head === undefined) {
    return err("image_type_refused", `${what} is not a data URL in Base64. Write it as data:image/png;base64,…`);
  }
  const text = url.slice(head.length);
  const tooLarge = findTooManyBytes(Math.floor((text.length * 3) / 4) - 2, what, limits);
  if (tooLarge) return tooLarge;
  try {
    return ok(Uint8Array.from(atob(text), (char) => char.charCodeAt(0)));
  } catch {
    return err("image_type_refused", `${what} is not valid Base64. Encode the file again.`); // atob refused it
  }
}
