import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { readEvents, startForwarder } from "../../scripts/signal-forwarder.ts";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close();
});

async function serve(
  answer: (path: string, body: string, auth: string | undefined) => { status: number; body?: string; stream?: string },
): Promise<string> {
  const server: Server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { status, body: reply, stream } = answer(request.url!, body, request.headers.authorization);
    response.writeHead(status);
    if (stream === undefined) response.end(reply);
    else response.write(stream);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push({ close: () => (server.closeAllConnections(), server.close()) });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("events reach the channel in order, also when it does not take one at first", async () => {
  const got: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  let refusals = 2;
  const signalCli = await serve(() => ({
    status: 200,
    stream: 'event:receive\ndata:{"n":1}\n\n:\n\ndata: {"n":2}\r\n\r\n',
  }));
  const channel = await serve((_, body, auth) => {
    if (auth !== "Bearer s3cret") return { status: 401 };
    if (refusals-- > 0) return { status: 503 };
    if (got.push(body) === 2) resolve();
    return { status: 200 };
  });
  open.push(await startForwarder({ signalCli, channel, secret: "s3cret", port: 0, log: () => {}, pauseMs: 1 }));
  await promise;
  expect(got).toEqual(['{"n":1}', '{"n":2}']);
});

test("calls need the secret, and only those that the channel makes are passed on", async () => {
  const called: string[] = [];
  const signalCli = await serve((path, body) => {
    if (path.endsWith("/events")) return { status: 200, stream: "" };
    called.push(body);
    return { status: 200, body: '{"result":{"timestamp":1}}' };
  });
  const { port, close } = await startForwarder({
    signalCli,
    channel: `${signalCli}/none`,
    secret: "s3cret",
    port: 0,
    log: () => {},
    pauseMs: 1,
  });
  open.push({ close });
  const call = (body: string, secret = "s3cret", path = "/api/v1/rpc") =>
    fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", body, headers: { authorization: `Bearer ${secret}` } });
  expect((await call('{"method":"send"}', "other")).status).toBe(401);
  expect((await call('{"method":"send"}', "s3cret", "/api/v1/events")).status).toBe(404);
  for (const body of ['{"method":"unregister"}', '[{"method":"send"},{"method":"unregister"}]', "x"])
    expect((await call(body)).status).toBe(403);
  expect(called).toEqual([]);
  const sent = await call('{"method":"send"}');
  expect([sent.status, await sent.text(), called]).toEqual([200, '{"result":{"timestamp":1}}', ['{"method":"send"}']]);
});

test("an event is read whole, however its bytes are cut", async () => {
  const bytes = new TextEncoder().encode('data: {"a":"ü"}\n\ndata: one\ndata: two\n\ndata: never ended');
  async function* cut() {
    for (const byte of bytes) yield Uint8Array.of(byte);
  }
  const events: string[] = [];
  for await (const event of readEvents(cut())) events.push(event);
  expect(events).toEqual(['{"a":"ü"}', "one\ntwo"]);
});
