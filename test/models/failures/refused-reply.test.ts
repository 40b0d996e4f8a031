// Keeps the contents of an error reply from an SDK, which would put them into its own error.
import { expect, it } from "vitest";
import { ReplyRefused, refuseErrors } from "../../../core/models/failures/refused-reply.ts";
import { toBody } from "../../support/wires/sse-body.ts";

const refusalOf = async (response: Response): Promise<ReplyRefused["reply"]> => {
  const thrown: unknown = await refuseErrors(async () => response)("https://provider.example").catch((it) => it);
  if (!(thrown instanceof ReplyRefused)) throw new Error(`not refused: ${String(thrown)}`);
  return thrown.reply;
};

it.each([
  ["JSON", '{"error":"no sk-key"}', { error: "no sk-key" }],
  ["an HTML page", "<h1>Bad gateway</h1>", "<h1>Bad gateway</h1>"],
  ["an empty body", null, ""],
])("the body of a refusal is read, and the thrown message quotes nothing of it: %s", async (_, text, body) => {
  const response = new Response(text, { status: 401, headers: { "retry-after": "3" } });
  const { headers, ...reply } = await refusalOf(response);
  expect(reply).toEqual({ status: 401, body });
  expect(headers?.get("retry-after")).toBe("3");
  expect(new ReplyRefused(reply).message).toBe("the provider refused");
});

it("a reply with a good status is passed on unchanged", async () => {
  const response = new Response("data: 1\n\n");
  expect(await refuseErrors(async () => response)("https://provider.example")).toBe(response);
});

it("an endless error body is read up to a limit, and its connection is closed", async () => {
  const closed = Promise.withResolvers<void>();
  let sent = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array((sent += 10_000) && 10_000).fill(120)),
    cancel: () => closed.resolve(),
  });
  const { body } = await refusalOf(new Response(endless, { status: 500 }));
  await closed.promise;
  expect(body).toBe("x".repeat(70_000));
  expect(sent).toBeLessThan(100_000);
});

it("an error reply whose connection breaks is not a refusal", async () => {
  const response = new Response(toBody(['{"error":'], "reset"), { status: 500 });
  await expect(refusalOf(response)).rejects.toThrow("not refused: TypeError: terminated");
});
