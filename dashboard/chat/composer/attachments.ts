// Images for a message, by choosing, dropping or pasting; any other file goes into the session's workspace. Used by the composer.
import type { GivenImage } from "../session/outgoing.ts";

const IMAGE_TYPES = new Set(["image/png", "image/jpeg", "image/webp", "image/gif"]);
/** The defaults of the server, which decides. Asking it about more would only take longer. */
const MAX_IMAGES = 10;
const MAX_IMAGE_BYTES = 3.75 * 1024 * 1024;

export interface SortedFiles {
  images: File[];
  files: File[];
  /** What cannot go along, in a sentence for each. */
  refused: string[];
}

/** `taken`: images that the message has already. */
export function sortFiles(given: readonly File[], taken: number): SortedFiles {
  const sorted: SortedFiles = { images: [], files: [], refused: [] };
  for (const file of given) {
    if (!IMAGE_TYPES.has(file.type)) sorted.files.push(file);
    else if (file.size > MAX_IMAGE_BYTES)
      sorted.refused.push(`${file.name} is larger than 3.75 MiB, the limit of an image.`);
    else if (taken + sorted.images.length >= MAX_IMAGES)
      sorted.refused.push(`A message has at most ${MAX_IMAGES} images.`);
    else sorted.images.push(file);
  }
  return sorted;
}

export async function readImage(file: Blob, name: string): Promise<GivenImage> {
  const data = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(String(reader.result)));
    reader.addEventListener("error", () => reject(new Error(`${name} could not be read.`)));
    reader.readAsDataURL(file);
  });
  return { data, name: name.slice(0, 200) || "image" };
}
