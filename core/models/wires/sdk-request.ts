// Sends what an SDK has built. The SDKs know addresses, headers and bodies; their own sending adds a time limit, a second
// abort and records of both, which the guard and the loop already have and which cost more than all the rest
// (docs/decisions/0017).
import { refuseErrors } from "../failures/refused-reply.ts";

type Built = { req: object; url: string };

/** Address and headers are the same in every request of a client to one path. */
const builtBy = new WeakMap<RequestBuilder, Map<string, Built>>();

/** The part of the SDKs' clients that is used. */
export interface RequestBuilder {
  buildRequest(options: { method: "post"; path: string; body: unknown }): Promise<Built>;
}

export async function sendBuilt(
  client: RequestBuilder,
  call: { path: string; body: unknown; signal: AbortSignal; fetch: typeof fetch },
): Promise<Response> {
  const { path, body, signal } = call;
  const known = builtBy.get(client) ?? new Map<string, Built>();
  const built = known.get(path) ?? (await client.buildRequest({ method: "post", path, body: {} }));
  builtBy.set(client, known.set(path, built));
  return refuseErrors(call.fetch)(built.url, { ...built.req, body: JSON.stringify(body), signal });
}
