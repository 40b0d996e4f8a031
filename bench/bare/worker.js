// A lower bound for bench:turn: a Durable Object that writes one row before each model call and passes every chunk on. Its cost is
// that of the machine and the platform; no durable turn can be faster.
import { DurableObject } from "cloudflare:workers";
import { parseOrder } from "../support/orders.ts";

/** Makes the request as large as that of a short session. */
const SYSTEM = "x".repeat(16_000);
const ROW = "x".repeat(600);

export class Bare extends DurableObject {
  constructor(ctx, env) {
    super(ctx, env);
    ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS entry(n INTEGER PRIMARY KEY, body TEXT NOT NULL)");
  }

  async fetch(request) {
    const text = await request.text();
    return new Response(new ReadableStream({ type: "bytes", start: (stream) => this.#run(text, stream) }), {
      headers: { "content-type": "text/event-stream" },
    });
  }

  async #run(text, stream) {
    const messages = [
      { role: "system", content: SYSTEM },
      { role: "user", content: text },
    ];
    const { steps } = parseOrder(text);
    for (let step = 0; step <= steps; step++) {
      this.ctx.storage.sql.exec("INSERT INTO entry(body) VALUES(?)", ROW);
      const answer = await fetch(`${this.env.OPENAI_BASE_URL}/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ model: "bench", stream: true, tools: [{}], messages }),
      });
      for await (const piece of answer.body) stream.enqueue(piece);
      messages.push({ role: "tool", content: ROW });
    }
    stream.close();
  }
}

export default {
  fetch: (request, env) => env.BARE.getByName(new URL(request.url).pathname).fetch(request),
};
