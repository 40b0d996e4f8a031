// Decides whether an IP address is public. Called by judge-url.ts for a URL's host and by the local stack's outbound proxy for what
// a name resolves to. Pure. Never resolves a name.
import { assert } from "../errors.ts";
import { type AddressRange, IPV4_RANGES, IPV6_GLOBAL, IPV6_RANGES } from "./address-ranges.ts";

interface Address {
  bits: 32 | 128;
  value: bigint;
}

interface Range {
  first: Address;
  prefix: number;
  name: string;
}

const V4 = IPV4_RANGES.map(parseRange);
const V6 = IPV6_RANGES.map(parseRange);
const GLOBAL = parseRange(IPV6_GLOBAL);

/** ISATAP (RFC 5214): the interface id is `0000:5efe` or `0200:5efe`, then an IPv4 address. */
const ISATAP_IDS = new Set([0x0000_5efen, 0x0200_5efen]);

/**
 * What the address is, if no outbound request may reach it: `loopback`, for example. `null`: it is public. `undefined`: the text is
 * not an address. Takes an address as a resolver prints it and the `hostname` of a URL, with brackets.
 */
export function findSpecialRange(text: string): string | null | undefined {
  const address = parseAddress(text);
  return address && describeAddress(address);
}

function describeAddress(address: Address): string | null {
  if (address.bits === 32) return V4.find((range) => isWithin(address, range))?.name ?? null;
  if (!isWithin(address, GLOBAL)) return "not global unicast";
  const special = V6.find((range) => isWithin(address, range))?.name;
  if (special !== undefined) return special;
  if (!ISATAP_IDS.has((address.value >> 32n) & 0xffff_ffffn)) return null;
  return describeAddress({ bits: 32, value: address.value & 0xffff_ffffn });
}

/** The URL parser reads every spelling of an address and prints one: four decimal numbers, or hexadecimal groups in brackets. */
function parseAddress(text: string): Address | undefined {
  const bare = text.replace(/^\[|\]$/g, "");
  if (!bare.includes(":")) {
    const host = URL.parse(`http://${bare}/`)?.hostname ?? "";
    return /^\d{1,3}(?:\.\d{1,3}){3}$/.test(host) ? toAddress(host.split("."), 8, 10) : undefined;
  }
  const host = URL.parse(`http://[${bare}]/`)?.hostname.slice(1, -1);
  if (host === undefined) return undefined;
  const [head = "", tail] = host.split("::");
  const before = head ? head.split(":") : [];
  const after = tail ? tail.split(":") : [];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  return toAddress([...before, ...zeros, ...after], 16, 16);
}

function toAddress(parts: string[], partBits: 8 | 16, radix: number): Address {
  const value = parts.reduce((sum, part) => (sum << BigInt(partBits)) | BigInt(parseInt(part, radix)), 0n);
  return { bits: partBits === 8 ? 32 : 128, value };
}

function parseRange([cidr, name]: AddressRange): Range {
  const [text = "", prefix] = cidr.split("/");
  const first = parseAddress(text);
  assert(first, `${cidr} is not a range`);
  return { first, prefix: Number(prefix), name };
}

function isWithin(address: Address, { first, prefix }: Range): boolean {
  const shift = BigInt(first.bits - prefix);
  return address.bits === first.bits && address.value >> shift === first.value >> shift;
}
