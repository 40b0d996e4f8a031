// Fits what a command wrote to its two streams into one result. Used by the tools that run commands. Pure.
import { headAndTail, jsonChars } from "../clip.ts";

/** `room`: characters of JSON. Errors are short and more useful, so they get room first: a quarter, or what the output leaves. */
export function fitStreams(
  stdout: string,
  stderr: string,
  room: number,
): { stdout: string; stderr: string; cut: boolean } {
  const errorRoom = Math.max(Math.floor(room / 4), room - jsonChars(stdout));
  const errors = headAndTail(stderr, errorRoom);
  const output = headAndTail(stdout, room - jsonChars(errors.text));
  return { stdout: output.text, stderr: errors.text, cut: output.cut || errors.cut };
}
