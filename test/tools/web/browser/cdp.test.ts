// The client of the DevTools Protocol against a scripted socket: answers, errors, silence, rubbish and the end of the connection.
import { expect, test } from "vitest";
import { createCdp } from "../../../../core/tools/web/browser/cdp.ts";
import { createTestClock } from "../../../support/clock.ts";

function open() {
  const sent: { id: number; method: string; sessionId?: string }[] = [];
  let handlers: { message(text: string): void; close(): void } | null = null;
  const state = { closed: 0 };
  const clock = createTestClock();
  const cdp = createCdp(
    {
      send: (text) => void sent.push(JSON.parse(text)),
      close: () => void state.closed++,
      listen: (given) => void (handlers = given),
    },
    clock,
  );
  return {
    cdp,
    clock,
    sent,
    state,
    say: (message: unknown) => handlers!.message(JSON.stringify(message)),
    handlers: handlers! as { message(text: string): void; close(): void },
  };
}

test("answers reach their commands, in any order, and events their listeners", async () => {
  const { cdp, sent, say } = open();
  const events: unknown[] = [];
  cdp.onEvent((...event) => events.push(event));
  const [one, two] = [cdp.send("A.one"), cdp.send("A.two", { x: 1 }, "S")];
  expect(sent).toEqual([
    { id: 1, method: "A.one", params: {} },
    { id: 2, method: "A.two", params: { x: 1 }, sessionId: "S" },
  ]);
  say({ method: "B.event", params: { y: 2 }, sessionId: "S" });
  say({ id: 2, result: { value: 2 } });
  say({ id: 1, error: { code: -32000, message: "No node" } });
  expect(await two).toEqual({ ok: true, value: { value: 2 } });
  expect(await one).toMatchObject({ ok: false, failure: { code: "browser_refused", message: "No node" } });
  expect(events).toEqual([["B.event", { y: 2 }, "S"]]);
});

test("a command without an answer ends after 30 seconds", async () => {
  const { cdp, clock } = open();
  const waiting = cdp.send("A.slow");
  clock.advance(30_000);
  expect(await waiting).toMatchObject({ ok: false, failure: { code: "browser_timed_out" } });
});

test("a closed connection ends every command, and later ones at once", async () => {
  const { cdp, handlers, sent } = open();
  const waiting = cdp.send("A.one");
  handlers.close();
  expect(await waiting).toMatchObject({ ok: false, failure: { code: "browser_gone" } });
  expect(await cdp.send("A.two")).toMatchObject({ ok: false, failure: { code: "browser_gone" } });
  expect([sent.length, cdp.isOpen()]).toEqual([1, false]);
});

test("what is no message of the protocol is ignored", async () => {
  const { cdp, handlers, say } = open();
  const waiting = cdp.send("A.one");
  for (const text of ["", "[]", "null", '{"id":"x"}', '{"id":99,"result":{}}', "{"]) handlers.message(text);
  say({ id: 1, result: null });
  expect(await waiting).toEqual({ ok: true, value: {} });
});
