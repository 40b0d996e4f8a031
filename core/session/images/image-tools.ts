// What the tools of images need of a session: the model that sees, the images of the conversation, the provider that makes images. Called
// when a turn's tools are made. A tool is absent where it cannot work.
import type { ImageSources, OpenedImage } from "../../tools/vision/open-image.ts";
import type { ImageMaker } from "../../tools/vision/image-generate.ts";
import type { VisionOptions } from "../../tools/vision/vision-analyze.ts";
import { readImageHeader } from "../../images/read-header.ts";
import type { EngineContext } from "../context.ts";
import { askEyes, findEyes } from "./ask-eyes.ts";

export interface ImageToolOptions {
  /** Absent: no model sees. */
  vision?: Pick<VisionOptions, "look" | "outbound"> & Pick<ImageSources, "findImage">;
  /** Absent: no provider makes images. */
  imageMaker?: ImageMaker;
}

export function toImageTools({ host, images }: Pick<EngineContext, "host" | "images">): ImageToolOptions {
  const eyes = findEyes(host.models);
  return {
    ...(eyes && {
      vision: {
        findImage(id): OpenedImage | null {
          const found = images.find(id);
          if (!found) return null;
          const read = () => images.parts(found.sha256);
          const header = readImageHeader(read().next().value ?? new Uint8Array(0));
          return header && { image: { ...header, ...found }, read };
        },
        look: ({ image, read }, question, signal) => askEyes(host, eyes, { image, read, question, signal }),
        ...(host.outbound && { outbound: host.outbound }),
      },
    }),
    ...(host.imageMaker && { imageMaker: host.imageMaker }),
  };
}
