// Decides whether a host name means a machine inside: of this computer, a private network, a cluster, or nowhere on the internet.
// Called by judge-url.ts with names that the URL parser has already put in lower case and ASCII. Pure. Never resolves a name.
import { findSpecialRange } from "./addresses.ts";

/**
 * Names that a private network, a cluster or a machine answers itself, and below them. Sources: RFC 6761 and 6762 (appendix G), RFC 7686,
 * RFC 8375, RFC 9476, ICANN's resolutions on `.internal`, `.home`, `.corp` and `.mail`; Consul, Kubernetes and systemd; RFC 7050 and 9462.
 */
const INSIDE = [
  ...["localhost", "localdomain", "local", "internal", "intranet", "private", "lan", "home", "corp", "mail"],
  ...["home.arpa", "ipv4only.arpa", "resolver.arpa", "consul", "svc", "onion", "alt", "test", "invalid"],
  "metadata.goog", // Google Cloud answers it inside, as metadata.google.internal
];

/** Public names that resolve to this machine, and so do all names below them: for development. */
const LOOPBACK_SERVICES = [
  ...["localtest.me", "lvh.me", "vcap.me", "lacolhost.com", "localho.st", "localhost.direct", "fuf.me", "local.gd"],
  ...["lndo.site", "ddev.site", "42foo.com", "smackaho.st"],
];

/** Public services that resolve to the address in the name: `10.0.0.1.nip.io`, `app-10-0-0-1.sslip.io`, `7f000001.rbndr.us`. */
const ADDRESS_SERVICES = [
  ...["nip.io", "sslip.io", "xip.io", "xip.name", "backname.io", "traefik.me", "local-ip.co", "local-ip.sh"],
  ...["plex.direct", "ip6.name", "rbndr.us", "1u.ms", "rebind.network"],
];

/** RFC 1035: no resolver has a longer name or label. */
const MAX_NAME_CHARS = 253;
const MAX_LABEL_CHARS = 63;

/** Why the name is refused, for a message: "is a name of a private network". `null`: the name is public. */
export function findInsideName(hostname: string): string | null {
  const name = hostname.replace(/\.$/, "");
  const labels = name.split(".");
  if (labels.includes("")) return "is not a complete name";
  if (name.length > MAX_NAME_CHARS || labels.some((label) => label.length > MAX_LABEL_CHARS))
    return "is too long for a name";
  if (labels.length === 1) return "is a single word, which only a private network resolves";
  if (isBelow(name, INSIDE)) return "is a name of this machine, of a private network or of nothing";
  if (isBelow(name, LOOPBACK_SERVICES)) return "is a name that resolves to this machine";
  if (isBelow(name, ADDRESS_SERVICES) && listAddresses(labels).some((text) => findSpecialRange(text))) {
    return "is a name that resolves to an address which is not public";
  }
  return null;
}

function isBelow(name: string, parents: readonly string[]): boolean {
  return parents.some((parent) => name === parent || name.endsWith(`.${parent}`));
}

/** Addresses that a service may read in a name: with dots, with dashes, in hexadecimal, and IPv6 with dashes (`fe80--1`). */
function listAddresses(labels: string[]): string[] {
  const dotted = labels.map((_, i) => labels.slice(i, i + 4).join(".")).flatMap(matchV4);
  const dashed = labels.flatMap((label) => matchV4(label.replaceAll("-", ".")));
  const hex = labels.flatMap((label) => label.match(/(?<![0-9a-z])[0-9a-f]{8}(?![0-9a-z])/g) ?? []);
  const v6 = labels.filter((label) => /^[0-9a-f-]+$/.test(label)).map((label) => label.replaceAll("-", ":"));
  return [...dotted, ...dashed, ...hex.map((text) => `0x${text}`), ...v6.filter((text) => text.includes(":"))];
}

/** Every run of four numbers with dots between them. Runs may overlap: `10.127.0.0.1` has two. */
function matchV4(text: string): string[] {
  return [...text.matchAll(/(?<!\d)(?=(\d{1,3}(?:\.\d{1,3}){3})(?!\d))/g)].map(([, found]) => found!);
}
