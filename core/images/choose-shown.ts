// Which images of a conversation are sent: the newest ones that one request may hold. Pure. Called for every request, so the choice
// depends on the images alone. It drops many old images at once and then none for a while: each drop changes the cached prefix.
import type { ImageRef } from "../schemas/media/image.ts";
import type { Settings } from "../schemas/settings.ts";

export type RequestLimits = Pick<Settings["images"], "maxPerRequest" | "maxRequestBytes">;

/** After a drop, at most this share of each limit stays. */
const KEPT_SHARE = 0.5;

/** `images`: those of the conversation, oldest first. Returns how many of the oldest are not sent. */
export function countUnshown(images: Pick<ImageRef, "bytes">[], limits: RequestLimits): number {
  const { maxPerRequest, maxRequestBytes } = limits;
  let first = 0;
  let bytes = 0;
  for (const [n, image] of images.entries()) {
    bytes += image.bytes;
    if (n + 1 - first <= maxPerRequest && bytes <= maxRequestBytes) continue;
    const isOver = () => n + 1 - first > maxPerRequest * KEPT_SHARE || bytes > maxRequestBytes * KEPT_SHARE;
    // The image that caused the drop stays, unless it is too large by itself.
    while (first < n && isOver()) bytes -= images[first++]!.bytes;
    if (bytes > maxRequestBytes) {
      first = n + 1;
      bytes = 0;
    }
  }
  return first;
}
