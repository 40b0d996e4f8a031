// How a request to a webhook route proves itself, and which delivery it is. Called by take-request.ts. Pure: the comparison in constant time
// comes from the caller. Nothing of a request may be used before it is proved.
import { hmac } from "@noble/hashes/hmac.js";
import { sha1 } from "@noble/hashes/legacy.js";
import { sha256, sha512 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { fromBase64, toBase64 } from "../schemas/base64.ts";
import { HmacForm, type WebhookScheme } from "../schemas/webhooks/webhook.ts";

export interface WebhookRequest {
  /** Names are lower case. */
  headers: Record<string, string>;
  body: Uint8Array;
}

export interface Proof {
  scheme: WebhookScheme;
  hmac?: HmacForm | undefined;
  /** In the clear: the present secret, and after a rotation the former one. */
  secrets: readonly string[];
  /** Unix ms. */
  now: number;
  /** Constant time, wherever and by how much the two differ. */
  isSame(a: string, b: string): boolean;
}

/** [Standard Webhooks, hermes] Of the signed time, in both directions. */
export const TOLERANCE_S = 300;
const MAX_ID_CHARS = 200;
const HASHES = { sha1, sha256, sha512 };
/** [hermes] The older form of the generic signature, which signs no time. Not taken beside the newer one. */
const BODY_ONLY = HmacForm.parse({ header: "x-webhook-signature", timestampHeader: null });
const WITH_TIME = HmacForm.parse({});

/** Headers with the sender's id of a delivery. The first that is there counts. */
const ID_HEADERS: Record<WebhookScheme, readonly string[]> = {
  github: ["x-github-delivery"],
  gitlab: ["idempotency-key", "x-gitlab-event-uuid"],
  standard: ["webhook-id", "svix-id"],
  hmac: ["idempotency-key", "webhook-id", "x-webhook-id", "x-delivery-id", "x-request-id"],
  bearer: ["idempotency-key", "webhook-id", "x-webhook-id", "x-delivery-id", "x-request-id"],
};

/** The delivery's id; `null`: the request is not proved. */
export function proveRequest(request: WebhookRequest, proof: Proof): { id: string } | null {
  return isProved(request, proof) ? { id: readDeliveryId(request, proof) } : null;
}

function isProved(request: WebhookRequest, proof: Proof): boolean {
  switch (proof.scheme) {
    case "github":
      return isSigned(
        request,
        proof,
        HmacForm.parse({ header: "x-hub-signature-256", prefix: "sha256=", timestampHeader: null }),
      );
    case "gitlab":
      return isSecret(request.headers["x-gitlab-token"] ?? "", proof);
    case "bearer":
      return isSecret(/^bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1] ?? "", proof);
    case "standard":
      return isStandard(request, proof);
    case "hmac": {
      if (proof.hmac) return isSigned(request, proof, proof.hmac);
      // Else a captured request could be repeated for ever without its time.
      return isSigned(request, proof, request.headers[WITH_TIME.header] === undefined ? BODY_ONLY : WITH_TIME);
    }
  }
}

/** Every secret is compared, so that the time does not tell which one was right. */
function isSecret(given: string, { secrets, isSame }: Proof): boolean {
  return secrets.filter((secret) => isSame(given, secret)).length > 0;
}

function isSigned({ headers, body }: WebhookRequest, proof: Proof, form: HmacForm): boolean {
  const header = headers[form.header.toLowerCase()] ?? "";
  if (!header.startsWith(form.prefix)) return false;
  const timestamp = form.timestampHeader === null ? "" : (headers[form.timestampHeader.toLowerCase()] ?? "");
  if (form.timestampHeader !== null && !isFresh(timestamp, proof.now)) return false;
  const rest = header.slice(form.prefix.length);
  const given = form.encoding === "hex" ? rest.toLowerCase() : rest;
  const signed = fillSigned(
    form.signed ?? (form.timestampHeader === null ? "{body}" : "{timestamp}.{body}"),
    timestamp,
    body,
  );
  const encode = form.encoding === "hex" ? bytesToHex : toBase64;
  const made = proof.secrets.map((secret) => encode(hmac(HASHES[form.hash], utf8ToBytes(secret), signed)));
  return made.filter((one) => proof.isSame(given, one)).length > 0;
}

function fillSigned(template: string, timestamp: string, body: Uint8Array): Uint8Array {
  const pieces = template.split(/(\{timestamp\}|\{body\})/);
  return concatBytes(
    ...pieces.map((piece) => (piece === "{body}" ? body : utf8ToBytes(piece === "{timestamp}" ? timestamp : piece))),
  );
}

function isStandard({ headers, body }: WebhookRequest, proof: Proof): boolean {
  const family = headers["webhook-signature"] === undefined ? "svix" : "webhook";
  const id = headers[`${family}-id`] ?? "";
  const timestamp = headers[`${family}-timestamp`] ?? "";
  if (id === "" || !isFresh(timestamp, proof.now)) return false;
  const given = (headers[`${family}-signature`] ?? "").split(" ").slice(0, MAX_SIGNATURES);
  const signed = concatBytes(utf8ToBytes(`${id}.${timestamp}.`), body);
  const made = proof.secrets.map((secret) => `v1,${toBase64(hmac(sha256, toStandardKey(secret), signed))}`);
  return given.flatMap((one) => made.filter((other) => proof.isSame(one, other))).length > 0;
}

/** [own] While a sender rotates its secret it sends two. */
const MAX_SIGNATURES = 10;

/** `whsec_` and Base64. Some senders hand out another text, whose bytes are the key. */
function toStandardKey(secret: string): Uint8Array {
  if (!secret.startsWith("whsec_")) return utf8ToBytes(secret);
  try {
    return fromBase64(secret.slice("whsec_".length));
  } catch {
    return utf8ToBytes(secret); // not Base64
  }
}

function isFresh(timestamp: string, now: number): boolean {
  return /^\d{1,12}$/.test(timestamp) && Math.abs(Math.floor(now / 1_000) - Number(timestamp)) <= TOLERANCE_S;
}

/** Without an id of the sender: a hash of the request, so that the same request sent again is the same delivery. */
function readDeliveryId({ headers, body }: WebhookRequest, { scheme, hmac: form }: Proof): string {
  const own = ID_HEADERS[scheme].map((name) => headers[name]?.trim()).find((value) => value);
  if (own !== undefined && own.length <= MAX_ID_CHARS) return own;
  if (own !== undefined) return bytesToHex(sha256(utf8ToBytes(own)));
  const signature = scheme === "hmac" ? (headers[(form ?? WITH_TIME).header.toLowerCase()] ?? "") : "";
  return bytesToHex(sha256(concatBytes(utf8ToBytes(`${signature}\n`), body)));
}
