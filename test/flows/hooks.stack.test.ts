// Webhooks across the real stack, to a real receiver that verifies with the package `standardwebhooks`: an event is delivered although the
// stack is killed between two attempts, and a redirect or a private address gets nothing.
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Stack, startStack } from "../../scripts/stack/stack.ts";

const OPERATOR = "operator-token-for-tests";
/** The second attempt is made after ten seconds. */
const RETRY_MS = 60_000;

interface Received {
  path: string;
  headers: Record<string, string>;
  body: string;
}
const received: Received[] = [];
/** One for each request to the path; 204 afterwards. */
const statuses: Record<string, number[]> = { "/in": [500], "/away": [307] };
const receiver = createServer(async (incoming, outgoing) => {
  let body = "";
  for await (const piece of incoming) body += String(piece);
  const path = incoming.url!;
  received.push({ path, headers: incoming.headers as Record<string, string>, body });
  const status = statuses[path]?.shift() ?? 204;
  outgoing.writeHead(status, status === 307 ? { location: `${origin()}/trap` } : {}).end();
});
const origin = () => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;

const stateDir = mkdtempSync(join(tmpdir(), "talaria flow "));
let vars: Record<string, string>;
let stack: Stack;
let key: string;

beforeAll(async () => {
  await once(receiver.listen(0, "127.0.0.1"), "listening");
  const settings = { turn: { titles: false }, review: { enabled: false }, outbound: { allow: [origin()] } };
  vars = { TALARIA_OPERATOR_TOKEN: OPERATOR, TALARIA_SETTINGS: JSON.stringify(settings) };
  stack = await startStack({ stateDir, vars });
  key = ((await call("POST", "/v1/profiles", {}, OPERATOR)).body as { key: string }).key;
}, 120_000);
afterAll(async () => {
  await stack?.kill();
  receiver.close();
  rmSync(stateDir, { recursive: true, force: true });
});

async function call(method: string, path: string, body?: object, bearer = key) {
  const headers = { authorization: `Bearer ${bearer}`, "content-type": "application/json" };
  const response = await fetch(`${stack.url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await response.text();
  return { status: response.status, body: text === "" ? null : (JSON.parse(text) as unknown) };
}

interface Hook {
  id: string;
  secret: string;
}
const subscribe = async (path: string, events = ["turn.ended"]) =>
  (await call("POST", "/v1/hooks", { url: origin() + path, events })).body as Hook;
const at = (path: string) => received.filter((one) => one.path === path);
const log = async (id: string) =>
  ((await call("GET", `/v1/hooks/${id}/deliveries`)).body as { deliveries: Record<string, unknown>[] }).deliveries;

it("a ping is answered with its outcome, and a redirect is not followed", async () => {
  const { id, secret } = await subscribe("/away");
  expect((await call("POST", `/v1/hooks/${id}/test`)).body).toMatchObject({ status: 307 });
  const [ping] = at("/away");
  expect(new Webhook(secret).verify(ping!.body, ping!.headers)).toMatchObject({ type: "ping", data: { hook: id } });
  expect((await call("POST", `/v1/hooks/${id}/test`)).body).toMatchObject({ status: 204 });
  expect(at("/trap")).toEqual([]);
  await call("DELETE", `/v1/hooks/${id}`);
});

it("a private address that the operator did not except cannot be subscribed", async () => {
  const refused = await call("POST", "/v1/hooks", { url: "http://localhost:9/", events: ["turn.ended"] });
  expect(refused).toMatchObject({ status: 422, body: { code: "url_refused" } });
});

it(
  "an event that the receiver refused is delivered after the stack was killed, with the same id and body",
  async () => {
    const { id, secret } = await subscribe("/in");
    const { session } = (await call("POST", "/v1/sessions", { learning: "off" })).body as { session: string };
    await call("POST", `/v1/sessions/${session}/messages`, { text: "/help" });
    await expect.poll(() => at("/in").length, { timeout: RETRY_MS }).toBe(1);
    await expect
      .poll(() => log(id), { timeout: RETRY_MS })
      .toMatchObject([{ state: "waiting", attempts: [{ status: 500 }] }]);
    await stack.kill();
    stack = await startStack({ stateDir, vars });
    await expect.poll(() => at("/in").length, { timeout: RETRY_MS, interval: 250 }).toBe(2);
    const [first, second] = at("/in");
    const webhook = new Webhook(secret);
    const event = webhook.verify(second!.body, second!.headers);
    expect(event).toMatchObject({ type: "turn.ended", data: { session, turn: `${session}-1`, state: "done" } });
    expect(webhook.verify(first!.body, first!.headers)).toEqual(event);
    expect(second!.headers["webhook-id"]).toBe(first!.headers["webhook-id"]);
    expect(() => webhook.verify(second!.body.replace("done", "failed"), second!.headers)).toThrow(
      "No matching signature",
    );
    await expect
      .poll(() => log(id), { timeout: RETRY_MS })
      .toMatchObject([{ state: "delivered", session, attempts: [{ status: 500 }, { status: 204 }] }]);
  },
  4 * RETRY_MS,
);
