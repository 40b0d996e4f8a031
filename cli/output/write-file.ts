// Writes a file that the person asked for, or their stdout for `-`. Never replaces a file.
import { writeFile } from "node:fs/promises";
import { UsageError } from "../connection/connection.ts";
import type { Output } from "./output.ts";

export async function writeResult(
  output: Output,
  path: string | undefined,
  content: string | Uint8Array,
): Promise<void> {
  if (path === undefined || path === "-") {
    if (typeof content === "string") output.text(content);
    else output.bytes(content);
    return;
  }
  try {
    await writeFile(path, content, { flag: "wx" });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === "EEXIST" ? "exists already: name another file" : `cannot be written (${code ?? "unknown"})`;
    throw new UsageError(`${path} ${why}.`);
  }
  output.note(`Wrote ${path}.`);
}
