// What a person sends from an editor, as a message of Talaria: its text and images. Files that the editor puts in become files of the
// session, because a file's text is not the person's own words. Used by serve-acp.ts.
import type { ContentBlock } from "@agentclientprotocol/sdk";
import type { GivenImage } from "../../core/schemas/media/image.ts";

export interface PromptContent {
  text: string;
  images: GivenImage[];
  /** To be stored in the session before the message that names them. */
  files: { path: string; body: string | Uint8Array<ArrayBuffer> }[];
}

export function readPrompt(blocks: readonly ContentBlock[]): PromptContent {
  const texts: string[] = [];
  const images: GivenImage[] = [];
  const files: PromptContent["files"] = [];
  for (const block of blocks) {
    if (block.type === "text") texts.push(block.text);
    else if (block.type === "image") images.push({ data: `data:${block.mimeType};base64,${block.data}` });
    else if (block.type === "resource_link") texts.push(`[${block.name}](${block.uri})`);
    else if (block.type === "resource") {
      const { resource } = block;
      const path = choosePath(resource.uri, files);
      const body = "text" in resource ? resource.text : new Uint8Array(Buffer.from(resource.blob, "base64"));
      files.push({ path, body });
      texts.push(`(${resource.uri} is attached as \`${path}\`.)`);
    }
  }
  return { text: texts.join("\n"), images, files };
}

/** `editor/` and the name of the file; a second one of that name gets a number. */
function choosePath(uri: string, taken: PromptContent["files"]): string {
  const last =
    uri
      .split(/[?#]/)[0]!
      .split(/[/\\]/)
      .findLast((part) => part !== "") ?? "file";
  const name =
    decode(last)
      .replaceAll(/[^\p{L}\p{N}._-]/gu, "_")
      .replace(/^\.+/, "_") || "file";
  for (let n = 1; ; n++) {
    const path = `editor/${n === 1 ? name : `${n}-${name}`}`;
    if (!taken.some((file) => file.path === path)) return path;
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // not escaped
  }
}
