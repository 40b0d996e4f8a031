// Detects a program of another user on the local port where Talaria is expected: any user can take a free port. Called by
// http.ts before it sends a key from the local file. Reads /proc/net, so it detects nothing on other systems than Linux.
import { readFileSync } from "node:fs";

/** The state TCP_LISTEN of Linux. */
const LISTENING = "0A";
const ROOT = 0;

/** False for every address that is not loopback. */
export function isForeignListener(url: string): boolean {
  const { hostname, port, protocol } = new URL(url);
  const own = process.getuid?.();
  if (own === undefined || !/^(?:localhost|.+\.localhost|127\..+|\[::1\])$/.test(hostname)) return false;
  const number = Number(port || (protocol === "https:" ? 443 : 80));
  return ["/proc/net/tcp", "/proc/net/tcp6"]
    .flatMap((file) => readListeners(file, number))
    .some((uid) => uid !== own && uid !== ROOT);
}

/** User ids of the listeners. Columns of the file: `sl local_address rem_address st tx:rx tr:tm retrnsmt uid …`; the port is hexadecimal. */
function readListeners(file: string, port: number): number[] {
  let text: string;
  try {
    text = readFileSync(file, "latin1");
  } catch {
    return []; // no such file: not Linux, or no IPv6
  }
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return text.split("\n").flatMap((line) => {
    const [, local, , state, , , , uid] = line.trim().split(/\s+/);
    return state === LISTENING && local?.endsWith(suffix) ? [Number(uid)] : [];
  });
}
