// .talaria/deploy.json: the operator's token and the ids of a deployment. Ignored by git, readable by this user only. An unreadable
// file is an error: replacing it would replace the token and lock the operator out.
import * as z from "zod";
import { readIfThere, writePrivate } from "../stack/private-file.ts";
import { DeployError } from "./cloudflare.ts";

const VERSION = 1;
const SavedDeployment = z.object({
  v: z.literal(VERSION),
  namespaces: z.record(z.string(), z.string()),
  /** Absent when another machine's file holds it. */
  operatorToken: z.string().optional(),
});
export type Kept = z.infer<typeof SavedDeployment>;

/** The file of an earlier deployment; `null` before the first. Throws a DeployError for a broken file. */
export function readSavedDeployment(file: string): Kept | null {
  const text = readIfThere(file);
  if (text === null) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new DeployError(
      `${file} is damaged. It holds the operator's token. Restore it, or move it away and try again.`,
    );
  }
  const version = (value as { v?: unknown } | null)?.v;
  if (typeof version === "number" && version > VERSION) {
    throw new DeployError(`${file} was written by a newer Talaria (version ${version}). Deploy with that one.`);
  }
  const parsed = SavedDeployment.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new DeployError(`${file} was not written by a deployment. Restore it, or move it away and try again.`);
}

export function writeSavedDeployment(file: string, kept: Kept): void {
  writePrivate(file, `${JSON.stringify(kept, null, 2)}\n`);
}
