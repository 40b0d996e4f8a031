// Images for the next message: the path of an image that is pasted or dropped, and `/image PATH`. Used by run-terminal.ts and by the
// commands. Shows what goes along, and gives it away with the message.
import { type AttachedImage, isImagePath, readImageFile } from "../../image-file.ts";
import type { Screen } from "../view/screen.ts";

export type Pastes = ReturnType<typeof createPastes>;

export function createPastes(screen: Pick<Screen, "note">) {
  let images: AttachedImage[] = [];

  async function attach(path: string): Promise<void> {
    const read = await readImageFile(path);
    if ("refusal" in read) return screen.note(read.refusal);
    images.push(read.image);
    screen.note(`(${read.image.name} goes with your next message)`);
  }

  return {
    attach,
    /** True: the paste is the path of an image, and nothing else. */
    take(pasted: string): boolean {
      const path = pasted.trim();
      if (path === "" || path.includes("\n") || !isImagePath(path)) return false;
      void attach(path);
      return true;
    },
    /** Images of a message that was not taken. */
    takeBack(given: AttachedImage[]): void {
      images.unshift(...given);
    },
    /** The images for this message. The next one begins with none. */
    giveAway(): AttachedImage[] {
      const given = images;
      images = [];
      return given;
    },
  };
}
