// RSA keys and tokens of a platform that signs its requests with JWTs. Used by fixtures of the conformance kit. Shares no code with channels/.
import { generateKeyPairSync, sign as signBytes } from "node:crypto";

export function createSigner(kid: string) {
  const pair = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const tokens = new Map<string, string>();
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return {
    jwk: { ...pair.publicKey.export({ format: "jwk" }), kid, use: "sig", alg: "RS256" },
    pem: pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    pkcs1: pair.privateKey.export({ type: "pkcs1", format: "pem" }).toString(),
    publicKey: pair.publicKey,
    sign(claims: object, header: object = {}): string {
      const signed = `${encode({ alg: "RS256", typ: "JWT", kid, ...header })}.${encode(claims)}`;
      // The kit signs thousands of requests, and the token does not cover what differs in them.
      const known = tokens.get(signed);
      if (known !== undefined) return known;
      const token = `${signed}.${signBytes("sha256", Buffer.from(signed), pair.privateKey).toString("base64url")}`;
      tokens.set(signed, token);
      return token;
    },
  };
}

export type Signer = ReturnType<typeof createSigner>;

/** What a token says, unverified. */
export function readClaims(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString());
}
