// Puts files of the person into the session's workspace.
import { fillPath } from "../../../cli/connection/routes.ts";
import { toast, toastError } from "../../components/toasts.tsx";
import { sendBytes } from "../../data/api.ts";
import { invalidate } from "../../data/resource.ts";

/** Each under its own name. Says what became of them. */
export async function uploadFiles(session: string, files: readonly File[]): Promise<void> {
  const stored: string[] = [];
  for (const file of files) {
    try {
      const path = toPath(file.name);
      await sendBytes("PUT", fillPath("/v1/sessions/{session}/files/{path}", { session, path }), file);
      stored.push(path);
    } catch (error) {
      toastError(error);
    }
  }
  await invalidate(`/v1/sessions/${session}/`);
  if (stored.length === 1) toast(`${stored[0]} is now in the files of this session.`);
  if (stored.length > 1) toast(`${stored.length} files are now in this session.`);
}

/** The name of the file, without folders. */
function toPath(name: string): string {
  return name.split(/[\\/]/).at(-1) || "file";
}
