// Reads a person's RSA private key in either of its usual forms, and signs with it. Called by channels/<platform>.ts.
import { type JWTPayload, SignJWT, importPKCS8 } from "jose";
import { toBase64 } from "../../core/schemas/base64.ts";
import { concatBytes, readBase64 } from "./crypto.ts";

/** A JWT by RS256. `null`: the text is not such a key. `iat` and `exp` are in `claims`. */
export async function signByRsa(
  pem: string,
  claims: JWTPayload,
  header: { kid?: string } = {},
): Promise<string | null> {
  try {
    const key = await importPKCS8(toPkcs8(pem), "RS256");
    return await new SignJWT(claims).setProtectedHeader({ alg: "RS256", typ: "JWT", ...header }).sign(key);
  } catch {
    return null; // not a key
  }
}

const PKCS1 = /-----BEGIN RSA PRIVATE KEY-----([A-Za-z0-9+/=\s]{1,16000})-----END RSA PRIVATE KEY-----/;
/** What PKCS#8 puts before the key: version 0, and the OID of RSA. */
const VERSION_AND_OID = Uint8Array.of(2, 1, 0, 0x30, 13, 6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 13, 1, 1, 1, 5, 0);
const SEQUENCE = 0x30;
const OCTETS = 4;

/** GitHub hands out PKCS#1, which Web Crypto does not read: the same key in another envelope. */
function toPkcs8(pem: string): string {
  // A key in a variable or in JSON often has its line ends escaped.
  const text = pem.replaceAll("\\n", "\n").trim();
  const key = readBase64(PKCS1.exec(text)?.[1]?.replace(/\s/g, "") ?? "");
  if (!key || key.length === 0) return text;
  const wrapped = wrap(SEQUENCE, concatBytes([VERSION_AND_OID, wrap(OCTETS, key)]));
  return `-----BEGIN PRIVATE KEY-----\n${toBase64(wrapped)}\n-----END PRIVATE KEY-----`;
}

/** DER: the type, the length in as many bytes as it needs, the content. */
function wrap(type: number, content: Uint8Array): Uint8Array {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return concatBytes([Uint8Array.of(type, ...size), content]);
}
