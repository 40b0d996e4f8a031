// The checks of `talaria doctor` that need no server: Node, the state folder, the file with the key, the port. Also run by `npm start`.
// Changes nothing.
import { accessSync, constants, readdirSync, statSync, statfsSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import type { DoctorLine } from "../../core/schemas/doctor.ts";
import { isForeignListener } from "../listener.ts";
import { UsageError, readConnection } from "../connection/connection.ts";

export interface LocalOptions {
  /** The folder `.talaria`. */
  home: string;
  /** The file with address and key. */
  accessFile: string;
  nodeVersion: string;
  /** Bytes that are free on the disk of a folder. */
  freeBytes?: (folder: string) => number;
}

/** The Node that runs Talaria's own code; the launcher finds it, or the host has it. */
const MIN_NODE = 24;
/** Room for a start; below the second number a warning. */
const NEEDED_BYTES = 64 * 1024 * 1024;
const LOW_BYTES = 1024 * 1024 * 1024;
const MAX_DEPTH = 5;
const DEFAULT_PORT = 8787;

export function checkLocal(options: LocalOptions): DoctorLine[] {
  return [checkNode(options), ...checkFolder(options), checkAccess(options)];
}

export function checkNode({ nodeVersion }: Pick<LocalOptions, "nodeVersion">): DoctorLine {
  const major = Number(/^v?(\d+)/.exec(nodeVersion)?.[1]);
  return major >= MIN_NODE
    ? { check: "Node", state: "ok", found: nodeVersion }
    : {
        check: "Node",
        state: "fail",
        found: nodeVersion,
        fix: `Start it through \`npm run …\` or \`talaria\`, which use Node ${MIN_NODE}, or install that.`,
      };
}

function checkFolder({ home, freeBytes = readFreeBytes }: LocalOptions): DoctorLine[] {
  const check = "state folder";
  const state = join(home, "state");
  if (!statSync(state, { throwIfNoEntry: false }))
    return [
      {
        check,
        state: "warn",
        found: `${state} is missing`,
        fix: "Run `npm start` once, unless the server is elsewhere.",
      },
    ];
  const refused = findRefused(state, MAX_DEPTH);
  const rights: DoctorLine = refused
    ? {
        check,
        state: "fail",
        found: `${refused.path}: ${refused.code}`,
        fix: `Give yourself its ownership and rights: sudo chown -R "$USER" ${quote(home)} && chmod -R u+rwX ${quote(home)}`,
      }
    : { check, state: "ok", found: state };
  const others = statSync(state).mode & 0o077;
  const open: DoctorLine[] = others
    ? [
        {
          check: "state folder's mode",
          state: "warn",
          found: "other users can enter it",
          fix: `Run chmod 700 ${quote(state)}`,
        },
      ]
    : [];
  return [rights, ...open, checkDisk(home, freeBytes(home))];
}

function checkDisk(home: string, free: number): DoctorLine {
  const found = `${Math.floor(free / 1024 / 1024).toLocaleString("en")} MB free`;
  if (free >= LOW_BYTES) return { check: "disk", state: "ok", found };
  const fix = `Free some space on the disk of ${home}: a start needs 64 MB.`;
  return { check: "disk", state: free < NEEDED_BYTES ? "fail" : "warn", found, fix };
}

function checkAccess({ accessFile }: LocalOptions): DoctorLine {
  const check = "key file";
  const stat = statSync(accessFile, { throwIfNoEntry: false });
  if (!stat) {
    const fix = "Run `npm start` once, or set TALARIA_URL and TALARIA_KEY.";
    return { check, state: "warn", found: `${accessFile} is missing`, fix };
  }
  try {
    readConnection({}, {}, accessFile);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return {
      check,
      state: "fail",
      found: error.message.split("\n")[0]!,
      fix: "Start Talaria again with `npm start`: it writes a new file.",
    };
  }
  if ((stat.mode & 0o077) !== 0)
    return {
      check,
      state: "warn",
      found: `other users can read ${accessFile}`,
      fix: `Run chmod 600 ${quote(accessFile)}`,
    };
  return { check, state: "ok", found: accessFile };
}

/** A path as a word of a shell, to be copied. */
function quote(path: string): string {
  return /^[\w/.+@-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** What is at the port: for a server that does not answer. `url`: where it should be. */
export async function checkPort(url: string | null): Promise<DoctorLine> {
  const check = "port";
  const { hostname, port: given } = new URL(url ?? `http://127.0.0.1:${DEFAULT_PORT}`);
  if (!/^(?:localhost|127\..+|\[::1\])$/.test(hostname))
    return { check, state: "ok", found: `the server is at ${hostname}, not on this machine` };
  const port = Number(given || 80);
  if (isForeignListener(`http://127.0.0.1:${port}`)) {
    const fix = "Start Talaria on another port: npm start -- --port N.";
    return { check, state: "fail", found: `a program of another user listens at ${port}`, fix };
  }
  const error = await tryToListen(port);
  if (error === null) return { check, state: "ok", found: `${port} is free` };
  const fix = "Stop the program that uses it, or start Talaria on another port: npm start -- --port N.";
  return { check, state: "fail", found: `${port} cannot be used (${error})`, fix };
}

function tryToListen(port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "unknown"));
    server.listen({ port, host: "127.0.0.1" }, () => server.close(() => resolve(null)));
  });
}

function readFreeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** The first file or folder that cannot be used, folders of the stores included. */
function findRefused(path: string, depth: number): { path: string; code: string } | null {
  try {
    const isFolder = statSync(path).isDirectory();
    accessSync(path, constants.R_OK | constants.W_OK | (isFolder ? constants.X_OK : 0));
    if (!isFolder || depth === 0) return null;
    for (const name of readdirSync(path)) {
      const found = name === "blobs" ? null : findRefused(join(path, name), depth - 1);
      if (found) return found;
    }
    return null;
  } catch (error) {
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? null : { path, code }; // gone meanwhile: a running server replaces files
  }
}
