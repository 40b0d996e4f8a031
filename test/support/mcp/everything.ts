// The reference server of the Model Context Protocol as a process, and what a dialer needs to reach it. For tests.
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { ok } from "../../../core/errors.ts";
import type { McpEntry } from "../../../core/mcp/ports.ts";
import { createOutbound } from "../../../core/outbound/outbound.ts";
import type { McpAccess, McpServer } from "../../../core/schemas/profile/mcp.ts";
import { systemClock } from "../../../stores/platform/system-clock.ts";
import { type McpDialerDeps, createMcpDialer } from "../../../wiring/mcp/dialer.ts";
import type { Sealer } from "../../../core/ports.ts";

export const EVERYTHING = join(
  import.meta.dirname,
  "../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js",
);

export interface RunningServer {
  origin: string;
  url: string;
  /** As `kill -9`. Resolves when it is dead. */
  kill(): Promise<void>;
}

export async function startEverything(mode: "streamableHttp" | "sse", port?: number): Promise<RunningServer> {
  const at = port ?? (await freePort());
  const child = spawn(process.execPath, [EVERYTHING, mode], {
    env: { ...process.env, PORT: String(at) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  await isListening(child);
  const origin = `http://127.0.0.1:${at}`;
  return {
    origin,
    url: `${origin}/${mode === "sse" ? "sse" : "mcp"}`,
    kill: () =>
      new Promise((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) return resolve();
        child.once("exit", () => resolve());
        child.kill("SIGKILL");
      }),
  };
}

function isListening(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    const read = (piece: Buffer) => {
      if (/listening|running/i.test(piece.toString())) resolve();
    };
    child.stdout!.on("data", read);
    child.stderr!.on("data", read);
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
  });
}

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/** Seals by turning the text around. */
export const reversing: Sealer = {
  seal: async (text) => [...text].reverse().join(""),
  open: async (sealed) => ok([...sealed].reverse().join("")),
};

export function toRemote(url: string, more: Partial<McpServer> & { headers?: Record<string, string> } = {}): McpServer {
  const { headers = {}, ...config } = more;
  const sealed = [...JSON.stringify({ url, headers })].reverse().join("");
  return { v: 1, kind: "remote", shown: url, target: url, sealed, secretNames: Object.keys(headers), ...config };
}

export function toEntry(name: string, config: McpServer, more: Partial<McpEntry> = {}): McpEntry {
  return { name, config, catalog: null, access: null, ...more };
}

/** A dialer that may reach these origins of this machine, and the requests it made. */
export function openTestDialer(allow: string[], deps: Partial<McpDialerDeps> = {}) {
  const requests: { method: string; url: string; headers: Headers; body: string }[] = [];
  const accesses = new Map<string, McpAccess>();
  const outbound = createOutbound({
    fetch: (input: RequestInfo | URL, init: RequestInit = {}) => {
      const body = typeof init.body === "string" ? init.body : "";
      requests.push({ method: init.method ?? "GET", url: String(input), headers: new Headers(init.headers), body });
      return fetch(input, init);
    },
    clock: systemClock,
    policy: { ports: [], allow, configured: [] },
  });

  const all: McpDialerDeps = {
    outbound,
    sealer: ok(reversing),
    exec: null,
    token: () => randomUUID(),
    accesses: {
      read: async (server) => accesses.get(server) ?? null,
      store: async (server, access) => void accesses.set(server, access),
    },
    ...deps,
  };
  return { dialer: createMcpDialer(all), deps: all, requests, accesses };
}
