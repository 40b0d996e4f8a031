// An MCP transport over the standard input and output of a command on the exec host. Used by connection.ts. The variables travel over
// standard input, never in the command, which the host lists.
import {
  type JSONRPCMessage,
  type Transport,
  deserializeMessage,
  serializeMessage,
} from "@modelcontextprotocol/client";
import type { McpSecret } from "../../core/schemas/profile/mcp.ts";
import type { ExecHost } from "../../core/tools/host/exec-host.ts";
import { MAX_REPLY_BYTES } from "./dialer.ts";

/** The most that the host gives at once. */
const PIECE_BYTES = 256 << 10;
const WAIT_MS = 20_000;
/** The longest that one connection may last: that of a turn. */
const LIFE_MS = 6 * 3_600_000;

/** `token`: names the command on the host, so it must be new. */
export function createStdioTransport(
  exec: ExecHost,
  { command, env }: Extract<McpSecret, { command: string }>,
  token: string,
): Transport {
  const op = `mcp:${token}`;
  const stop = new AbortController();
  let sent = 0;
  let isClosed = false;

  const transport: Transport = {
    async start() {
      const started = await exec.start(
        { op, attach: false, command: toCommand(command), background: true, timeoutMs: LIFE_MS, waitMs: 0 },
        stop.signal,
      );
      if (!started.ok) throw new Error(started.failure.code);
      await write(`${toExports(env)}\n`);
      void read().catch(() => transport.close());
    },
    send: (message) => write(serializeMessage(message)),
    async close() {
      if (isClosed) return;
      isClosed = true;
      stop.abort();
      await exec.kill(op, new AbortController().signal);
      transport.onclose?.();
    },
  };

  async function write(data: string): Promise<void> {
    const written = await exec.write(op, { op: `${op}.${++sent}`, attach: false, data, end: false }, stop.signal);
    if (!written.ok) throw new Error(written.failure.code);
  }

  async function read(): Promise<void> {
    let from = 0;
    let rest = "";
    while (!isClosed) {
      const output = await exec.output(op, { from, limit: PIECE_BYTES, waitMs: WAIT_MS }, stop.signal);
      // A piece that the host has dropped was part of a message.
      if (!output.ok || output.value.from !== from) return transport.close();
      from = output.value.next;
      const lines = (rest + output.value.text).split("\n");
      rest = lines.pop()!;
      if (rest.length > MAX_REPLY_BYTES) return transport.close();
      for (const line of lines) deliver(line);
      if (output.value.state === "ended" && from >= output.value.bytes) return transport.close();
    }
  }

  function deliver(line: string): void {
    if (line.trim() === "") return;
    let message: JSONRPCMessage;
    try {
      message = deserializeMessage(line);
    } catch {
      return; // a server may print other lines, though it must not
    }
    transport.onmessage?.(message);
  }

  return transport;
}

/** The host joins both streams of a background command, so the server's own log is dropped. */
function toCommand(command: string): string {
  return `IFS= read -r E && eval "$E" && unset E && exec bash -c ${quote(command)} 2>/dev/null`;
}

function toExports(env: Record<string, string>): string {
  return ["true", ...Object.entries(env).map(([name, value]) => `export ${name}=${quote(value)}`)].join("; ");
}

/** One line of bash, whatever the text. */
function quote(text: string): string {
  const escaped = text.replace(/[\\']/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\r", "\\r");
  return `$'${escaped}'`;
}
