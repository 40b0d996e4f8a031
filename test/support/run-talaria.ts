// `talaria` in this process, against a fake API: what it requests, prints, asks and refuses.
import { PassThrough, Readable } from "node:stream";
import { runCommandLine } from "../../cli/command-line/run.ts";
import { type Handler, startFakeApi } from "./fake-api.ts";

export interface Terminal {
  columns?: number;
  /** What the person types, line by line. */
  typed?: string;
  /** Beside the address and the key. */
  env?: Record<string, string>;
}

/** `url`: of a fake API. */
export async function talaria(
  args: string[],
  { url = "", columns, typed, env: more = {} }: Terminal & { url?: string } = {},
) {
  const written = { stdout: "", stderr: "" };
  const sink = (name: "stdout" | "stderr", isTTY: boolean) => {
    const stream = Object.assign(new PassThrough(), { isTTY, columns: columns ?? 80 });
    stream.on("data", (piece: Buffer) => (written[name] += piece.toString()));
    return stream;
  };
  const stdin = Object.assign(Readable.from(type(typed)), { isTTY: typed !== undefined });
  const streams = { stdin, stdout: sink("stdout", columns !== undefined), stderr: sink("stderr", false) };
  const env =
    url === "" ? { TALARIA_PROFILE: "./none.json" } : { TALARIA_URL: url, TALARIA_KEY: "tal_me_secret", ...more };
  const code = await runCommandLine(args, streams, env);
  await new Promise((done) => setImmediate(done));
  return { code, ...written };
}

/** Runs one command against one answer for each request, and says what was requested. */
export async function ask(args: string[], answers: Handler[], terminal: Terminal = {}) {
  await using api = await startFakeApi(answers);
  const result = await talaria(args, { url: api.url, ...terminal });
  return {
    ...result,
    requests: api.requests.map(({ method, path, body }) => `${method} ${path}${body ? ` ${body}` : ""}`),
  };
}

/** A line at a time, as from a keyboard: a question takes one. */
async function* type(text: string | undefined): AsyncGenerator<string> {
  for (const line of text?.split("\n") ?? []) {
    await new Promise((done) => setImmediate(done));
    yield `${line}\n`;
  }
}
