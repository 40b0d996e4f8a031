// Runs the three Workers in one workerd behind one TCP port: `node host.ts <file>`, under keeper.ts. The file holds secrets: it is
// read once and removed. workerd listens on Unix sockets in a folder of mode 0700 and on no port; Miniflare's own loopback port
// requires a secret. The Workers' requests leave through outbound-proxy.ts. The TCP port is bound first, so the marker file `ready`
// proves that this process answers there. Imports nothing that is slow to load, because each start waits for it.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import {
  HttpOptions_Style,
  Log,
  LogLevel,
  Miniflare,
  type V4MiniflareOptions,
  convertV4MiniflareOptions,
} from "miniflare";
import type { WorkerOptions } from "./bundle.ts";
import { PORT_TAKEN, READY, createDoor } from "./network/door.ts";
import { EXEC_HOST_URL, type ExecHostOptions, startExecHost } from "./exec-host.ts";
import { type OutboundProxyOptions, createOutboundProxy } from "./network/outbound-proxy.ts";

const LOG_EVERY_MS = 60_000;

export interface HostOptions {
  port: number;
  publicUrl?: string;
  origins: string[];
  /** A private folder with a short path: a Unix socket's path is limited to about 100 bytes. */
  socketsDir: string;
  dataDir: string;
  /** The first one serves HTTP. */
  workers: WorkerOptions[];
  vars: Record<string, string>;
  /** What the api Worker gets instead of `vars`. */
  apiVars: Record<string, string>;
  /** Of the Workers' requests, as they read it from `apiVars`. */
  policy: OutboundProxyOptions["policy"];
  isOffline: boolean;
  /** Absent: no exec host is started. */
  exec?: ExecHostOptions;
}

const file = process.argv[2] ?? "";
const { port, publicUrl, origins, socketsDir, dataDir, workers, vars, apiVars, policy, isOffline, exec } = JSON.parse(
  readFileSync(file, "utf8"),
) as HostOptions;
rmSync(file);

// Any local user can send a malformed request to Miniflare's loopback port, which becomes an unhandled rejection there.
let loggedAt = -Infinity;
process.on("unhandledRejection", (error) => {
  const isMalformed = (error as { code?: string } | null)?.code === "ERR_INVALID_URL";
  if (isMalformed && performance.now() - loggedAt < LOG_EVERY_MS) return;
  if (isMalformed) loggedAt = performance.now();
  console.error(isMalformed ? "Refused a malformed request to Miniflare's own port." : error);
});

const door = createDoor({ socketPath: join(socketsDir, "api:0"), publicUrl, origins });
await new Promise<void>((done, fail) => door.once("error", fail).listen(port, "127.0.0.1", done)).catch(
  (error: NodeJS.ErrnoException) => {
    if (error.code === "EADDRINUSE") writeFileSync(join(socketsDir, PORT_TAKEN), "");
    console.error(`Port ${port} cannot be opened: ${error.message}`);
    process.exit(1);
  },
);

const execSocket = join(socketsDir, "exec");
if (exec) await startExecHost(exec, execSocket);

const outboundSocket = join(socketsDir, "outbound");
const outbound = createOutboundProxy({ policy, isOffline, sockets: exec ? { [EXEC_HOST_URL]: execSocket } : {} });
await new Promise<void>((done, fail) => outbound.once("error", fail).listen(outboundSocket, done));

/** Only a service binding can lead to a socket, and a Worker's way out can only be another Worker. */
const OUTBOUND = {
  name: "talaria-outbound",
  modules: [
    {
      type: "ESModule" as const,
      path: "outbound.js",
      contents: "export default { fetch: (request, { PROXY }) => PROXY.fetch(request) };",
    },
  ],
  compatibilityDate: workers[0]!.compatibilityDate,
  serviceBindings: {
    PROXY: { external: { address: `unix:${outboundSocket}`, http: { style: HttpOptions_Style.PROXY } } },
  },
};

const requireFromMiniflare = createRequire(createRequire(import.meta.url).resolve("miniflare"));
process.env.MINIFLARE_WORKERD_PATH = join(import.meta.dirname, "workerd-on-sockets.sh");
process.env.TALARIA_WORKERD = (requireFromMiniflare("workerd") as { default: string }).default;
process.env.TALARIA_SOCKETS = socketsDir;

const miniflare = new Miniflare(
  convertV4MiniflareOptions({
    host: "127.0.0.1",
    port: 0,
    cf: false,
    log: new Log(LogLevel.WARN),
    telemetry: { enabled: false },
    unsafeTriggerHandlers: true, // at the entry, which is one of the private sockets
    resourcePersistencePath: dataDir,
    workers: [
      ...workers.map((worker, i) => ({
        ...worker,
        bindings: { ...worker.bindings, ...(i === 0 ? apiVars : vars) },
        outboundService: OUTBOUND.name,
        // Miniflare appends `:<port>` to the host, so the socket's path ends in `:0`.
        ...(i === 0 ? { unsafeDirectSockets: [{ host: `unix:${join(socketsDir, "api")}`, port: 0 }] } : {}),
      })),
      OUTBOUND,
    ],
  } as V4MiniflareOptions),
);
await miniflare.ready;
writeFileSync(join(socketsDir, READY), "");
