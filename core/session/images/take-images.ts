// Takes the images of a message: checks each, and stores them with the message. Called when a message is accepted, before anything
// is written. Reads each image twice, so that the bytes of many are never in memory together.
import { checkImage, decodeDataUrl, findTooManyBytes } from "../../images/check-image.ts";
import { type Result, err, ok } from "../../errors.ts";
import type { GivenImage, ImageRef } from "../../schemas/media/image.ts";
import type { EngineContext } from "../context.ts";

export interface TakenImages {
  /** Inside the caller's transaction, in the same tick as the check. */
  store(): ImageRef[];
}

const NO_IMAGES: TakenImages = { store: () => [] };

/** Failures: `too_many_images`, `file_not_found`, `image_type_refused`, `image_too_large`, `images_full`. */
export function takeImages(context: EngineContext, given: GivenImage[]): Result<TakenImages> {
  if (given.length === 0) return ok(NO_IMAGES);
  const { host, images } = context;
  const limits = host.settings.images;
  if (given.length > limits.maxPerMessage) {
    const message = `A message has at most ${limits.maxPerMessage} images. Send the others with another message.`;
    return err("too_many_images", message);
  }
  const taken: { ref: ImageRef; read(): Uint8Array }[] = [];
  const added = new Map<string, number>();
  for (const [n, one] of given.entries()) {
    const read = () => readGiven(context, one, n);
    const bytes = read();
    const checked = bytes.ok ? checkImage(bytes.value, toName(one, n), limits) : bytes;
    if (!checked.ok) return checked;
    const name = "path" in one ? one.path.split("/").at(-1) : one.name;
    const ref: ImageRef = { ...checked.value, ...(name && { name }) };
    if (!images.has(ref.sha256)) added.set(ref.sha256, ref.bytes);
    taken.push({ ref, read: () => (read() as { value: Uint8Array }).value });
  }
  const total = [...added.values()].reduce((sum, bytes) => sum + bytes, images.totalBytes());
  if (total > limits.maxSessionBytes) {
    const message = `The images of this session would have ${total} bytes, and may have ${limits.maxSessionBytes}. Go on in a new session.`;
    return err("images_full", message);
  }
  return ok({
    store: () =>
      taken.map(({ ref, read }) => {
        images.put(ref, read());
        return ref;
      }),
  });
}

function readGiven({ host, workspace }: EngineContext, given: GivenImage, n: number): Result<Uint8Array> {
  const { images: limits } = host.settings;
  if ("data" in given) return decodeDataUrl(given.data, toName(given, n), limits);
  const tooLarge = findTooManyBytes(workspace.sizeOf(given.path), toName(given, n), limits);
  if (tooLarge) return tooLarge;
  const bytes = workspace.read(given.path);
  return bytes ? ok(bytes) : err("file_not_found", `There is no file '${given.path}' in this session's workspace.`);
}

function toName(given: GivenImage, n: number): string {
  return "path" in given ? `The file '${given.path}'` : `Image ${n + 1}`;
}
