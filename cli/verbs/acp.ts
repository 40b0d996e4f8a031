// `talaria acp`: lets an editor talk to Talaria.
import { Readable, Writable } from "node:stream";
import { Backend } from "../../core/schemas/api.ts";
import { type Verb, readChoice } from "../command-line/verb.ts";

export const acp: Verb = {
  name: "acp",
  help: "serve an editor over the Agent Client Protocol, on standard input and output",
  actions: [
    {
      name: null,
      help: "run until the editor closes the connection",
      flags: { backend: { type: "string", value: "host", help: "new sessions work on the exec host" } },
      async run({ flags, client }) {
        const { ndJsonStream } = await import("@agentclientprotocol/sdk");
        const { serveAcp } = await import("../acp/serve-acp.ts");
        const backend = readChoice(flags, "backend", Backend);
        const api = client();
        const { version } = await api.health();
        const output = Writable.toWeb(process.stdout) as WritableStream<Uint8Array>;
        const input = Readable.toWeb(process.stdin) as unknown as ReadableStream<Uint8Array>;
        await serveAcp({ client: api, version, backend, cwd: process.cwd() }, ndJsonStream(output, input));
      },
    },
  ],
};
