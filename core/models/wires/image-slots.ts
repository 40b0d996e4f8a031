// Puts images into the body of a request. A wire places a short text where an image's Base64 belongs; the texts are replaced while the
// body is encoded, straight into one buffer. So an image is never a string, and the body is in memory once. Used by every wire
// and by sdk-request.ts. The same request gives the same bytes.
import type { MessageImage, ModelRequest } from "../../agent/contract.ts";
import { assert } from "../../errors.ts";
import { base64Length, writeBase64 } from "../../schemas/base64.ts";

export interface ImageSlots {
  /** The text that stands for the image's Base64 in the body. */
  place(image: MessageImage): string;
  /** The body as JSON, with the images in it. */
  encode(body: unknown): string | Uint8Array<ArrayBuffer>;
}

export function createImageSlots(request: ModelRequest): ImageSlots {
  const placed: MessageImage[] = [];
  let mark: string | undefined;
  return {
    place(image) {
      mark ??= chooseMark(request);
      return `${mark}${placed.push(image) - 1}@`;
    },
    encode(body) {
      const text = JSON.stringify(body);
      if (mark === undefined) return text;
      const { readImage } = request;
      assert(readImage, "a request with images has no bytes of them");
      return fillIn(text.split(new RegExp(`${mark}(\\d+)@`)), placed, readImage);
    },
  };
}

/** A text that occurs nowhere in the request, whatever a person or a page wrote. */
function chooseMark(request: ModelRequest): string {
  const text = JSON.stringify(request);
  let n = 0;
  while (text.includes(`@image-${n}-`)) n++;
  return `@image-${n}-`;
}

/** `pieces`: JSON, then the number of an image, in turns. */
function fillIn(
  pieces: string[],
  placed: MessageImage[],
  readImage: NonNullable<ModelRequest["readImage"]>,
): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const parts = pieces.map((piece, n) => (n % 2 === 0 ? encoder.encode(piece) : placed[Number(piece)]!));
  const sizes = parts.map((part) => (part instanceof Uint8Array ? part.length : base64Length(part.bytes)));
  const body = new Uint8Array(sizes.reduce((sum, size) => sum + size, 0));
  let at = 0;
  for (const [n, part] of parts.entries()) {
    const end = at + sizes[n]!;
    if (part instanceof Uint8Array) body.set(part, at);
    else for (const bytes of readImage(part)) at = writeBase64(bytes, body, at);
    if (part instanceof Uint8Array) at = end;
    assert(at === end, "an image does not have the bytes that its reference says");
  }
  return body;
}
