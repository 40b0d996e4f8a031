// What is sent: deliveries over ten routes of all schemes, each one to three times, in a random order; and how each scheme signs. Pure but for
// the signatures' time.
import { createHmac } from "node:crypto";
import { mulberry32 } from "../../scripts/seeded.ts";

export type Scheme = "github" | "gitlab" | "standard" | "hmac" | "bearer";

export interface BenchRoute {
  name: string;
  scheme: Scheme;
  secret: string;
  /** The last of the ten makes a session for each delivery. */
  session: "route" | "new";
}

export interface Planned {
  id: string;
  route: BenchRoute;
}

const SCHEMES: Scheme[] = ["github", "gitlab", "standard", "hmac", "bearer"];
const ROUTES = 10;
const MAX_COPIES = 3;

export const ROUTE_PLAN: BenchRoute[] = Array.from({ length: ROUTES }, (_, n) => ({
  name: `bench-${n}`,
  scheme: SCHEMES[n % SCHEMES.length]!,
  secret: `secret of route ${n}`,
  session: n === ROUTES - 1 ? "new" : "route",
}));

/** Every sending, in its order. */
export function planSends(count: number, seed: number): Planned[] {
  const random = mulberry32(seed);
  const sends = Array.from({ length: count }, (_, n): Planned => ({
    id: `d-${seed}-${n}`,
    route: ROUTE_PLAN[n % ROUTES]!,
  }));
  const all = sends.flatMap((one) => Array.from({ length: 1 + Math.floor(random() * MAX_COPIES) }, () => one));
  for (let at = all.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [all[at], all[other]] = [all[other]!, all[at]!];
  }
  return all;
}

export function toRequest({ id, route: { scheme, secret } }: Planned): {
  body: string;
  headers: Record<string, string>;
} {
  const body = JSON.stringify({ id, action: "opened", subject: { title: `Event ${id}`, labels: ["bench"] } });
  const time = String(Math.floor(Date.now() / 1_000));
  const sign = (text: string, encoding: "hex" | "base64") => createHmac("sha256", secret).update(text).digest(encoding);
  const headers: Record<Scheme, () => Record<string, string>> = {
    github: () => ({
      "x-hub-signature-256": `sha256=${sign(body, "hex")}`,
      "x-github-delivery": id,
      "x-github-event": "issues",
    }),
    gitlab: () => ({ "x-gitlab-token": secret, "idempotency-key": id }),
    standard: () => ({
      ...{ "webhook-id": id, "webhook-timestamp": time },
      "webhook-signature": `v1,${sign(`${id}.${time}.${body}`, "base64")}`,
    }),
    hmac: () => ({
      ...{ "x-webhook-id": id, "x-webhook-timestamp": time },
      "x-webhook-signature-v2": sign(`${time}.${body}`, "hex"),
    }),
    bearer: () => ({ authorization: `Bearer ${secret}`, "webhook-id": id }),
  };
  return { body, headers: { "content-type": "application/json", ...headers[scheme]() } };
}

/** A template from whose text the id can be read again. */
export const PROMPT = "Note the event [{id}]: {subject.title}.";

/** Of the text of a message, which may be several events. */
export function readIds(text: string): string[] {
  return [...text.matchAll(/\[(d-\d+-\d+)\]/g)].map((found) => found[1]!);
}
