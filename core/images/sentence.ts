// The text that stands for an image where the image itself is not sent: what it was, why it is not shown, and what another model
// said of it. Used for models that do not see, for old images and by compaction. Pure. The same image gives the same bytes.
import { escapeTags } from "../prompt-block.ts";
import { EXTENSIONS, type ImageRef } from "../schemas/media/image.ts";

/** The part of its hash that names an image to a model. */
export const IMAGE_ID_CHARS = 12;

export function toImageId({ sha256 }: Pick<ImageRef, "sha256">): string {
  return sha256.slice(0, IMAGE_ID_CHARS);
}

/** "PNG, 800 × 600 pixels, 120 KB". */
export function describeFacts({ type, width, height, bytes }: Omit<ImageRef, "sha256" | "name">): string {
  const kind = EXTENSIONS[type].toUpperCase().replace("JPG", "JPEG").replace("WEBP", "WebP");
  const size = bytes < 1_024 ? `${bytes} bytes` : `${Math.round(bytes / 1_024)} KB`;
  return `${kind}, ${width} × ${height} pixels, ${size}`;
}

/** `why`: a sentence. `description`: what another model said the image shows, which may repeat text that is in the image. */
export function renderUnseen(image: ImageRef & { description?: string }, why: string): string {
  const name = image.name === undefined ? "" : ` ${JSON.stringify(escapeTags(image.name))}`;
  const line = `[image ${toImageId(image)}${name}: ${describeFacts(image)}. ${why}]`;
  if (!image.description) return line;
  return `${line}\nAnother model describes it:\n<content>\n${escapeTags(image.description)}\n</content>`;
}

/** Appends the texts of images to a message's own text. */
export function withTexts(text: string, texts: string[]): string {
  return [text, ...texts].filter((part) => part !== "").join("\n\n");
}
