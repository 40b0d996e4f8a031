// Sends a request that an SDK has built. The SDKs know address, headers and authentication. Their own sending adds a timeout, a
// second abort and retry records, which the guard and the loop already have, and costs six times as much
// (docs/decisions/0060). Called by the adapters.
import type { Fetch } from "../../ports.ts";
import { refuseErrors } from "../failures/refused-reply.ts";
import type { ImageSlots } from "./image-slots.ts";

type BuiltRequest = { req: object; url: string };

/** Cached: a client sends the same address and headers with every request to one path. */
const builtBy = new WeakMap<RequestBuilder, Map<string, BuiltRequest>>();

/** The part of the SDK clients that is used here. */
export interface RequestBuilder {
  buildRequest(options: { method: "post"; path: string; body: unknown }): Promise<BuiltRequest>;
}

export async function sendBuilt(
  client: RequestBuilder,
  call: { path: string; body: unknown; slots: ImageSlots; signal: AbortSignal; fetch: Fetch },
): Promise<Response> {
  const { path, body, slots, signal } = call;
  const known = builtBy.get(client) ?? new Map<string, BuiltRequest>();
  const built = known.get(path) ?? (await client.buildRequest({ method: "post", path, body: {} }));
  builtBy.set(client, known.set(path, built));
  return refuseErrors(call.fetch)(built.url, { ...built.req, body: slots.encode(body), signal });
}
