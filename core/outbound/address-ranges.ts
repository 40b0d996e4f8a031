// The IP ranges that no outbound request may reach: all of IANA's special-purpose registries, multicast, and what is reserved.
// Read by addresses.ts. Pure data; an operator excepts an origin with `outbound.allow`, never a range.

/** A range as CIDR text, and a short name for messages. */
export type AddressRange = readonly [cidr: string, name: string];

/**
 * https://www.iana.org/assignments/iana-ipv4-special-registry (2026-11), whole: entries that the registry calls globally reachable
 * (AS112, AMT, PCP and TURN anycast) serve protocols of the network, never a page or an API. Registry entries inside a listed range
 * are not repeated.
 */
export const IPV4_RANGES: readonly AddressRange[] = [
  ["0.0.0.0/8", "this network"],
  ["10.0.0.0/8", "private"],
  ["100.64.0.0/10", "shared between a carrier and its customers"],
  ["127.0.0.0/8", "loopback"],
  ["169.254.0.0/16", "link-local"],
  ["172.16.0.0/12", "private"],
  ["192.0.0.0/24", "protocol assignment"],
  ["192.0.2.0/24", "documentation"],
  ["192.31.196.0/24", "AS112"],
  ["192.52.193.0/24", "multicast tunnelling (AMT)"],
  ["192.88.99.0/24", "6to4 relay"],
  ["192.168.0.0/16", "private"],
  ["192.175.48.0/24", "AS112"],
  ["198.18.0.0/15", "benchmarking"],
  ["198.51.100.0/24", "documentation"],
  ["203.0.113.0/24", "documentation"],
  ["224.0.0.0/4", "multicast"],
  ["240.0.0.0/4", "reserved or broadcast"],
  // Public by number, but on Azure every machine reaches its host agent there, as at 169.254.169.254.
  ["168.63.129.16/32", "cloud metadata"],
];

/** Everything outside is refused: loopback, mapped and translated IPv4, unique local, link-local, site-local, multicast, SRv6. */
export const IPV6_GLOBAL: AddressRange = ["2000::/3", "global unicast"];

/**
 * The parts of `IPV6_GLOBAL` that are refused, from https://www.iana.org/assignments/iana-ipv6-special-registry (2026-11).
 * `2001::/23` holds Teredo, anycast, benchmarking, AMT, AS112, ORCHID, ORCHIDv2 and DETs. 6to4 and Teredo are refused whatever
 * IPv4 address they contain.
 */
export const IPV6_RANGES: readonly AddressRange[] = [
  ["2001::/23", "protocol assignment"],
  ["2001:db8::/32", "documentation"],
  ["2002::/16", "6to4"],
  ["2620:4f:8000::/48", "AS112"],
  ["3fff::/20", "documentation"],
];
