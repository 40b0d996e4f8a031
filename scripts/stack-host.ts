// Runs the three Workers in one workerd and opens their one port: `node stack-host.ts <file>`, under stack-keeper.ts. The file
// holds secrets: it is read once and removed. workerd itself listens on Unix sockets in a folder of mode 0700 and on no port;
// Miniflare's own loopback port asks for a secret first.
import { readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Log, LogLevel, Miniflare, type V4MiniflareOptions, convertV4MiniflareOptions } from "miniflare";
import type { WorkerOptions } from "./bundle.ts";
import { createDoor } from "./stack-door.ts";

export interface HostOptions {
  port: number;
  publicUrl?: string;
  /** A private folder with a short path: the path of a Unix socket has at most about 100 bytes. */
  socketsDir: string;
  dataDir: string;
  /** The first one serves HTTP. */
  workers: WorkerOptions[];
  vars: Record<string, string>;
}

const file = process.argv[2] ?? "";
const { port, publicUrl, socketsDir, dataDir, workers, vars } = JSON.parse(readFileSync(file, "utf8")) as HostOptions;
rmSync(file);

// Miniflare answers a malformed request to its loopback port, which any user can send, with a rejection that nobody handles.
process.on("unhandledRejection", (error) => console.error(error));

const ofMiniflare = createRequire(createRequire(import.meta.url).resolve("miniflare"));
process.env.MINIFLARE_WORKERD_PATH = join(import.meta.dirname, "workerd-on-sockets.sh");
process.env.TALARIA_WORKERD = (ofMiniflare("workerd") as { default: string }).default;
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
    workers: workers.map((worker, i) => ({
      ...worker,
      bindings: { ...worker.bindings, ...vars },
      // Miniflare writes the port behind the host.
      ...(i === 0 ? { unsafeDirectSockets: [{ host: `unix:${join(socketsDir, "api")}`, port: 0 }] } : {}),
    })),
  } as V4MiniflareOptions),
);
await miniflare.ready;
const door = createDoor({ socketPath: join(socketsDir, "api:0"), publicUrl });
door.listen(port, "127.0.0.1");
