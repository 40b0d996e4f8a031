// The calls of export and import over a real connection: what passes is waited for, and what does not is told at once.
import { type RequestListener, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { createMovingClient } from "../../../cli/moving/moving-client.ts";
import { DOOR_PROBLEMS } from "../../../scripts/stack/network/door-problems.ts";

const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).forEach((close) => close()));

const BEGUN = { export: `exp_${"0".repeat(26)}`, deployment: "A".repeat(43) };

/** Refuses the first request, and answers the second. Returns how many came. */
async function serve(status: number, code: string) {
  let asked = 0;
  const answer: RequestListener = (_, response) => {
    asked += 1;
    const isFirst = asked === 1;
    response.writeHead(isFirst ? status : 200, {
      "content-type": isFirst ? "application/problem+json" : "application/json",
    });
    response.end(JSON.stringify(isFirst ? { type: "about:blank", title: code, status, code, detail: "No." } : BEGUN));
  };
  const server = createServer(answer).listen(0, "127.0.0.1");
  closing.push(() => server.close());
  await new Promise((listening) => server.once("listening", listening));
  const { port } = server.address() as AddressInfo;
  return { client: createMovingClient({ url: `http://127.0.0.1:${port}`, key: "key" }), asked: () => asked };
}

it.each([
  ["workers_away", DOOR_PROBLEMS.workers_away[0]],
  ["platform_busy", 503],
  ["busy", 503],
  ["rate_limited", 429],
])("%s passes, so the call is repeated", async (code, status) => {
  const { client, asked } = await serve(status, code);
  expect(await client.beginExport()).toEqual(BEGUN);
  expect(asked()).toBe(2);
});

it("a missing configuration does not pass, so the call fails at once", async () => {
  const { client, asked } = await serve(503, "sealing_key_missing");
  await expect(client.beginExport()).rejects.toThrow("sealing_key_missing");
  expect(asked()).toBe(1);
});
