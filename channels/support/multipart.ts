// Forms with files, as platforms take uploads. Called by channels/<platform>.ts.
import { toBytes } from "./crypto.ts";
import type { OutFile } from "../../core/channels/platform.ts";

/** A `multipart/form-data` body: the fields, then the file under the name `fileField`. */
export async function toMultipart(
  fields: Record<string, string>,
  fileField: string,
  file: OutFile,
): Promise<{ headers: Record<string, string>; body: Uint8Array }> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append(fileField, new Blob([toBytes(file.bytes)], { type: file.mediaType }), file.name);
  const encoded = new Response(form);
  const type = encoded.headers.get("content-type")!;
  return { headers: { "content-type": type }, body: new Uint8Array(await encoded.arrayBuffer()) };
}
