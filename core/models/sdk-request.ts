// Sends what an SDK has built. The SDKs know addresses, headers and bodies; their own sending adds a time limit, a second
// abort and records of both, which the guard and the loop already have and which cost more than all the rest
// (docs/decisions/0017).
import { refuseErrors } from "./refused-reply.ts";

/** The part of the SDKs' clients that is used. */
export interface RequestBuilder {
  buildRequest(options: { method: "post"; path: string; body: unknown }): Promise<{ req: object; url: string }>;
}

export async function sendBuilt(
  client: RequestBuilder,
  call: { path: string; body: unknown; signal: AbortSignal; fetch: typeof fetch },
): Promise<Response> {
  const { path, body, signal } = call;
  const { req, url } = await client.buildRequest({ method: "post", path, body });
  return refuseErrors(call.fetch)(url, { ...req, signal });
}
