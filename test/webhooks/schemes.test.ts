// The proofs of webhook requests, tried with the vectors that the schemes' own documents publish.
import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { HmacForm, type WebhookScheme } from "../../core/schemas/webhooks/webhook.ts";
import { type Proof, proveRequest } from "../../core/webhooks/schemes.ts";

const NOW = 1_614_265_330_000;
const compared: [string, string][] = [];
const isSame = (a: string, b: string) => (compared.push([a, b]), a === b);
const prove = (
  scheme: WebhookScheme,
  {
    secrets,
    headers,
    body,
    now = NOW,
    hmac,
  }: {
    secrets: string[];
    headers: Record<string, string>;
    body: string;
    now?: number;
    hmac?: Proof["hmac"];
  },
) => proveRequest({ headers, body: new TextEncoder().encode(body) }, { scheme, secrets, now, hmac, isSame });

describe("github", () => {
  // docs.github.com, "Testing the webhook payload validation".
  const secrets = ["It's a Secret to Everybody"];
  const body = "Hello, World!";
  const signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
  const headers = { "x-hub-signature-256": signature, "x-github-delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958" };

  it("takes the published vector", () => {
    expect(prove("github", { secrets, headers, body })).toEqual({ id: "72d3162e-cc78-11e3-81ab-4c9367dc0958" });
  });

  it("refuses another byte of the body, of the signature, another secret, another prefix and none", () => {
    expect(prove("github", { secrets, headers, body: "Hello, World?" })).toBeNull();
    expect(prove("github", { secrets: ["another secret"], headers, body })).toBeNull();
    for (const wrong of [
      signature.replace("757", "758"),
      signature.slice(7),
      signature.replace("256", "1"),
      "sha256=",
      "",
    ]) {
      expect(prove("github", { secrets, headers: { ...headers, "x-hub-signature-256": wrong }, body })).toBeNull();
    }
    expect(prove("github", { secrets, headers: {}, body })).toBeNull();
  });

  it("takes the former secret beside the present one", () => {
    expect(prove("github", { secrets: ["the present one", ...secrets], headers, body })).not.toBeNull();
  });

  it("names a delivery without an id by its content", () => {
    const { "x-github-delivery": _, ...without } = headers;
    const first = prove("github", { secrets, headers: without, body });
    expect(first?.id).toMatch(/^[0-9a-f]{64}$/);
    expect(prove("github", { secrets, headers: without, body })).toEqual(first);
  });

  it("shortens an id that is too long to keep", () => {
    const long = { ...headers, "x-github-delivery": "x".repeat(500) };
    expect(prove("github", { secrets, headers: long, body })?.id).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe("standard", () => {
  // The specification of Standard Webhooks and its libraries' tests.
  const secrets = ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"];
  const body = '{"test": 2432232314}';
  const headers = {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  };

  it("takes the published vector, also among other signatures and under Svix's names", () => {
    const id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    expect(prove("standard", { secrets, headers, body })).toEqual({ id });
    const several = {
      ...headers,
      "webhook-signature": `v1,${"A".repeat(43)}= v1a,zzz ${headers["webhook-signature"]}`,
    };
    expect(prove("standard", { secrets, headers: several, body })).toEqual({ id });
    const svix = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.replace("webhook", "svix"), value]),
    );
    expect(prove("standard", { secrets, headers: svix, body })).toEqual({ id });
  });

  it.each([
    ["is 300 s old", 300, true],
    ["is 301 s old", 301, false],
    ["is 300 s ahead", -300, true],
    ["is 301 s ahead", -301, false],
  ])("judges a request that %s", (_, seconds, isTaken) => {
    expect(prove("standard", { secrets, headers, body, now: NOW + seconds * 1_000 }) !== null).toBe(isTaken);
  });

  it("refuses another id, another time, a time that is none, and missing headers", () => {
    for (const changed of [
      { "webhook-id": "msg_other" },
      { "webhook-timestamp": "1614265331" },
      { "webhook-timestamp": "now" },
      { "webhook-signature": "v1," },
    ]) {
      expect(prove("standard", { secrets, headers: { ...headers, ...changed }, body })).toBeNull();
    }
    for (const name of Object.keys(headers)) {
      const without = Object.fromEntries(Object.entries(headers).filter(([other]) => other !== name));
      expect(prove("standard", { secrets, headers: without, body })).toBeNull();
    }
  });
});

describe("gitlab and bearer", () => {
  it("compare the secret as it is, in constant time", () => {
    compared.length = 0;
    const headers = { "x-gitlab-token": "a-shared-secret", "x-gitlab-event-uuid": "u1", "idempotency-key": "k1" };
    expect(prove("gitlab", { secrets: ["a-shared-secret"], headers, body: "{}" })).toEqual({ id: "k1" });
    expect(prove("gitlab", { secrets: ["a-shared-secreu"], headers, body: "{}" })).toBeNull();
    expect(compared.length).toBe(2);
    const bearer = { authorization: "Bearer a-shared-secret", "webhook-id": "w1" };
    expect(prove("bearer", { secrets: ["a-shared-secret"], headers: bearer, body: "{}" })).toEqual({ id: "w1" });
    for (const authorization of ["Bearer ", "Bearer a-shared-secre", "Basic a-shared-secret", "a-shared-secret", ""]) {
      expect(prove("bearer", { secrets: ["a-shared-secret"], headers: { authorization }, body: "{}" })).toBeNull();
    }
  });
});

describe("hmac", () => {
  const body = '{"event":"deploy"}';
  const secret = "a secret of ours";
  const sign = (text: string, hash = "sha256", encoding: "hex" | "base64" = "hex") =>
    createHmac(hash, secret).update(text).digest(encoding);
  const time = "1614265330";
  const withTime = {
    "x-webhook-timestamp": time,
    "x-webhook-signature-v2": sign(`${time}.${body}`),
    "x-request-id": "r1",
  };

  it("takes the signature over the time and the body, and the older one over the body", () => {
    expect(prove("hmac", { secrets: [secret], headers: withTime, body })).toEqual({ id: "r1" });
    expect(prove("hmac", { secrets: [secret], headers: { "x-webhook-signature": sign(body) }, body })).not.toBeNull();
  });

  it("does not fall back to the older one when the newer one is there and wrong or stale", () => {
    const both = { ...withTime, "x-webhook-signature": sign(body) };
    expect(prove("hmac", { secrets: [secret], headers: both, body, now: NOW + 301_000 })).toBeNull();
    expect(prove("hmac", { secrets: [secret], headers: { ...both, "x-webhook-signature-v2": "00" }, body })).toBeNull();
    expect(prove("hmac", { secrets: [secret], headers: { ...both, "x-webhook-timestamp": "" }, body })).toBeNull();
  });

  it("takes what the route says of header, hash, encoding, prefix and signed text", () => {
    // api.slack.com, "Verifying requests from Slack": the published example.
    const slack = HmacForm.parse({
      header: "X-Slack-Signature",
      prefix: "v0=",
      timestampHeader: "X-Slack-Request-Timestamp",
      signed: "v0:{timestamp}:{body}",
    });
    const text =
      "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
    const headers = {
      "x-slack-request-timestamp": "1531420618",
      "x-slack-signature": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
    };
    const asked = { secrets: ["8f742231b10e8888abcd99yyyzzz85a5"], headers, body: text, hmac: slack };
    expect(prove("hmac", { ...asked, now: 1_531_420_618_000 })).not.toBeNull();
    expect(prove("hmac", { ...asked, now: 1_531_420_618_000 + 301_000 })).toBeNull();
    const base64 = HmacForm.parse({ header: "x-sig", hash: "sha512", encoding: "base64", timestampHeader: null });
    const signed = { secrets: [secret], headers: { "x-sig": sign(body, "sha512", "base64") }, body, hmac: base64 };
    expect(prove("hmac", signed)).not.toBeNull();
    expect(prove("hmac", { ...signed, headers: { "x-sig": sign(body, "sha512", "hex") } })).toBeNull();
  });
});
