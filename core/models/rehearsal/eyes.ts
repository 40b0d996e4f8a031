// What rehearsal says of images in the person's last message; called by rehearsal.ts. It reads their headers only: type and size. Pure.
import type { ModelRequest } from "../../agent/contract.ts";
import { describeFacts } from "../../images/sentence.ts";
import type { Reply } from "./reply.ts";

/** Null if the last message has no image, or tools have answered it since. */
export function lookAtImages({ messages }: ModelRequest): Reply | null {
  const last = messages.findLast((message) => message.role !== "user" || !message.text.startsWith("<note>"));
  if (last?.role !== "user" || !last.images?.length) return null;
  const seen = last.images.map((image) =>
    image.name ? `${image.name} (${describeFacts(image)})` : describeFacts(image),
  );
  return {
    text: `I was sent ${seen.length === 1 ? "an image" : `${seen.length} images`}: ${seen.join("; ")}. Rehearsal reads no more of it than that.`,
  };
}
