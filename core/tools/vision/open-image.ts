// Opens the image that a tool's argument names: an image of the conversation by its id, a file of the workspace, or a page's URL, which
// is fetched through the URL policy. Checks type and size before any byte reaches a model.
import { checkImage, findTooManyBytes } from "../../images/check-image.ts";
import { IMAGE_ID_CHARS } from "../../images/sentence.ts";
import { type Result, err, ok } from "../../errors.ts";
import type { Outbound } from "../../outbound/outbound.ts";
import type { ImageRef } from "../../schemas/media/image.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { Workspace } from "../../workspace/workspace.ts";

export interface OpenedImage {
  image: ImageRef;
  read(): Iterable<Uint8Array>;
}

export interface ImageSources {
  workspace: Workspace;
  settings: Settings;
  /** Absent: no URL can be opened. */
  outbound?: Pick<Outbound, "request">;
  /** An image of the conversation by the beginning of its hash. */
  findImage(id: string): OpenedImage | null;
}

const FETCH_MS = 30_000;
const ID = new RegExp(`^[0-9a-f]{${IMAGE_ID_CHARS},64}$`);

/** Failures: `file_not_found`, `image_type_refused`, `image_too_large`, `page_failed`, and those of `Outbound.request`. */
export async function openImage(
  sources: ImageSources,
  named: string,
  signal: AbortSignal,
): Promise<Result<OpenedImage>> {
  const { workspace, settings } = sources;
  const known = ID.test(named) ? sources.findImage(named) : null;
  if (known) return ok(known);
  if (/^https?:/i.test(named)) return fetchImage(sources, named, signal);
  const what = `The file '${named}'`;
  const tooLarge = findTooManyBytes(workspace.sizeOf(named), what, settings.images);
  if (tooLarge) return tooLarge;
  const bytes = workspace.read(named);
  if (!bytes) {
    const hint = "Give the path of a file in the workspace, a URL, or the id of an image in this conversation.";
    return err("file_not_found", `There is no image '${named.slice(0, 200).toWellFormed()}'. ${hint}`);
  }
  return toOpened(bytes, what, settings);
}

async function fetchImage(
  { outbound, settings }: ImageSources,
  url: string,
  signal: AbortSignal,
): Promise<Result<OpenedImage>> {
  if (!outbound) return err("page_failed", "URLs cannot be opened here. Give the path of a file in the workspace.");
  const { maxBytes } = settings.images;
  const reply = await outbound.request(url, { signal, timeoutMs: FETCH_MS, maxBytes, contentTypes: ["image/*"] });
  if (!reply.ok) return reply;
  const { status, bytes } = reply.value;
  if (status !== 200) return err("page_failed", `The server answered ${status} instead of an image. Check the URL.`);
  return toOpened(bytes, "The file at this URL", settings);
}

function toOpened(bytes: Uint8Array, what: string, settings: Settings): Result<OpenedImage> {
  const checked = checkImage(bytes, what, settings.images);
  return checked.ok ? ok({ image: checked.value, read: () => [bytes] }) : checked;
}
