// The channel's e-mail address, and what may stand behind a plus in it: the profile, and a signed mark of a thread. Called by channels/email.ts
// and by the Worker's e-mail handler.
import { sha256 } from "@noble/hashes/sha2.js";
import { ProfileId } from "../../core/schemas/ids.ts";
import { hmac } from "../support/crypto.ts";
import { readAddress } from "./headers.ts";

/** That of profile ids. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const THREAD_CHARS = 10;
/** 60 bits, which can only be guessed by sending messages. */
const SIGNATURE_CHARS = 12;
/** RFC 5321. */
const MAX_LOCAL_CHARS = 64;

export interface ParsedAddress {
  /** Before the plus. */
  name: string;
  domain: string;
  profile: string | null;
  mark: { thread: string; signature: string } | null;
}

const PLUS = /^([0-9a-hjkmnp-tv-z]{26})?\.?(?:([0-9a-hjkmnp-tv-z]{10})([0-9a-hjkmnp-tv-z]{12}))?$/;

/** `null`: not an address, or something unknown stands behind the plus. */
export function parseAddress(text: string): ParsedAddress | null {
  const read = readAddress(text);
  if (!read) return null;
  const local = read.address.slice(0, read.address.lastIndexOf("@"));
  const plus = local.indexOf("+");
  const found = plus < 0 ? [] : PLUS.exec(local.slice(plus + 1));
  if (!found) return null;
  const [, profile, thread, signature] = found;
  return {
    name: plus < 0 ? local : local.slice(0, plus),
    domain: read.domain,
    profile: profile !== undefined && ProfileId.safeParse(profile).success ? profile : null,
    mark: thread && signature ? { thread, signature } : null,
  };
}

/** Whether a message to `recipient` is one for the channel with this address. */
export function isRecipient(recipient: ParsedAddress, own: ParsedAddress, profile: string): boolean {
  if (recipient.name !== own.name || recipient.domain !== own.domain) return false;
  if (recipient.profile !== null) return recipient.profile === profile;
  return own.profile === null;
}

/** The name of a thread, by the id of its first message. */
export function toThread(root: string): string {
  return encode(sha256(new TextEncoder().encode(root)), THREAD_CHARS);
}

/** Binds a thread to the one who may write in it. */
export async function signThread(secret: string, correspondent: string, thread: string): Promise<string> {
  return encode(await hmac("SHA-256", secret, `${correspondent}\n${thread}`), SIGNATURE_CHARS);
}

/** The address that answers come to. `null`: it would be too long for servers. */
export function toReplyAddress(own: ParsedAddress, mark: { thread: string; signature: string }): string | null {
  const plus = [...(own.profile === null ? [] : [own.profile]), `${mark.thread}${mark.signature}`].join(".");
  const local = `${own.name}+${plus}`;
  return local.length > MAX_LOCAL_CHARS ? null : `${local}@${own.domain}`;
}

function encode(bytes: Uint8Array, chars: number): string {
  return Array.from({ length: chars }, (_, at) => {
    const bit = at * 5;
    const pair = (bytes[bit >> 3]! << 8) | (bytes[(bit >> 3) + 1] ?? 0);
    return ALPHABET[(pair >> (11 - (bit & 7))) & 31];
  }).join("");
}
