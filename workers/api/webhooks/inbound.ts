// The address that other systems post events to, `/hooks/<profile>/<name>`. Open to everyone: the route proves each request. Not in the
// contract, because senders send what they like. Everything that is not proved has one answer, byte for byte, so that it tells nothing.
import { ProfileId } from "../../../core/schemas/ids.ts";
import { WebhookName } from "../../../core/schemas/webhooks/webhook.ts";
import { PROBLEMS, unwrap } from "../problems.ts";
import { createRouter } from "../router.ts";

export const inboundWebhooks = createRouter();

inboundWebhooks.post("/hooks/:profile/:name", async (c) => {
  const body = new Uint8Array(await c.req.arrayBuffer());
  const profile = ProfileId.safeParse(c.req.param("profile"));
  const name = WebhookName.safeParse(c.req.param("name"));
  if (!profile.success || !name.success) return refuse();
  const request = { headers: Object.fromEntries(c.req.raw.headers), body };
  const taken = await c.env.WEBHOOKS.getByName(profile.data).receive(name.data, request);
  if (taken === null) return refuse();
  const answer = unwrap(taken);
  return c.json(answer, answer.status === "accepted" ? 202 : 200, { "cache-control": "no-store" });
});

function refuse(): Response {
  const code = "webhook_refused";
  const [status, title] = PROBLEMS[code];
  const detail = "This request is not accepted here. Check the address, the secret, and the clock of the sender.";
  return new Response(JSON.stringify({ type: `urn:talaria:problem:${code}`, title, status, code, detail }), {
    status,
    headers: { "content-type": "application/problem+json", "cache-control": "no-store" },
  });
}
