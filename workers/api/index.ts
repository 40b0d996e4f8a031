import { DurableObject } from "cloudflare:workers";
export class Session extends DurableObject {}
export class Account extends DurableObject {}
export default { fetch: () => new Response("ok") };
