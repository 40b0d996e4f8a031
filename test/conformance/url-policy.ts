// Every range of IANA's special-purpose registries, in every spelling that a URL parser takes: at both ends of a range, inside, and just
// outside. The lists are written from the RFCs, apart from the product's own tables. Runs in Node and in workerd: each has its own URL parser.
import { describe, expect, it } from "vitest";
import { judgeUrl } from "../../core/outbound/judge-url.ts";

/** First and last address, with its RFC. */
const V4: [first: string, last: string][] = [
  ["0.0.0.0", "0.255.255.255"], // RFC 791
  ["10.0.0.0", "10.255.255.255"], // RFC 1918
  ["100.64.0.0", "100.127.255.255"], // RFC 6598
  ["127.0.0.0", "127.255.255.255"], // RFC 1122
  ["169.254.0.0", "169.254.255.255"], // RFC 3927
  ["172.16.0.0", "172.31.255.255"], // RFC 1918
  ["192.0.0.0", "192.0.0.255"], // RFC 6890
  ["192.0.0.8", "192.0.0.10"], // RFC 7600, 7723, 8155
  ["192.0.0.170", "192.0.0.171"], // RFC 8880
  ["192.0.2.0", "192.0.2.255"], // RFC 5737
  ["192.31.196.0", "192.31.196.255"], // RFC 7535
  ["192.52.193.0", "192.52.193.255"], // RFC 7450
  ["192.88.99.0", "192.88.99.255"], // RFC 7526
  ["192.168.0.0", "192.168.255.255"], // RFC 1918
  ["192.175.48.0", "192.175.48.255"], // RFC 7534
  ["198.18.0.0", "198.19.255.255"], // RFC 2544
  ["198.51.100.0", "198.51.100.255"], // RFC 5737
  ["203.0.113.0", "203.0.113.255"], // RFC 5737
  ["224.0.0.0", "239.255.255.255"], // RFC 5771
  ["240.0.0.0", "255.255.255.255"], // RFC 1112, 8190
];
const V6: [first: string, last: string][] = [
  ["::", "::"], // RFC 4291
  ["::1", "::1"], // RFC 4291
  ["::2", "::ffff:ffff"], // RFC 4291, IPv4-compatible
  ["::ffff:0:0", "::ffff:ffff:ffff"], // RFC 4291, IPv4-mapped
  ["::ffff:0:0:0", "::ffff:0:ffff:ffff"], // RFC 7915, IPv4-translated
  ["64:ff9b::", "64:ff9b::ffff:ffff"], // RFC 6052
  ["64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff"], // RFC 8215
  ["100::", "100::ffff:ffff:ffff:ffff"], // RFC 6666
  ["100:0:0:1::", "100:0:0:1:ffff:ffff:ffff:ffff"], // RFC 9780
  ["2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff"], // RFC 4380, Teredo
  ["2001:1::1", "2001:1::3"], // RFC 7723, 8155, 9665
  ["2001:2::", "2001:2:0:ffff:ffff:ffff:ffff:ffff"], // RFC 5180
  ["2001:3::", "2001:3:ffff:ffff:ffff:ffff:ffff:ffff"], // RFC 7450
  ["2001:4:112::", "2001:4:112:ffff:ffff:ffff:ffff:ffff"], // RFC 7535
  ["2001:10::", "2001:1f:ffff:ffff:ffff:ffff:ffff:ffff"], // RFC 4843
  ["2001:20::", "2001:2f:ffff:ffff:ffff:ffff:ffff:ffff"], // RFC 7343
  ["2001:30::", "2001:3f:ffff:ffff:ffff:ffff:ffff:ffff"], // RFC 9374
  ["2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"], // RFC 2928
  ["2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"], // RFC 3849
  ["2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff"], // RFC 3056
  ["2620:4f:8000::", "2620:4f:8000:ffff:ffff:ffff:ffff:ffff"], // RFC 7534
  ["3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"], // RFC 9637
  ["5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff"], // RFC 9602
  ["fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"], // RFC 4193
  ["fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff"], // RFC 4291
  ["fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"], // RFC 3879
  ["ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"], // RFC 4291
];
/** Addresses just outside a range, and others that are public. */
const PUBLIC_V4 = [
  ...["1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0"],
  ...["169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "191.255.255.255", "192.0.1.0", "192.0.1.255"],
  ...["192.0.3.0", "192.31.195.255", "192.31.197.0", "192.52.192.255", "192.52.194.0", "192.88.98.255", "192.88.100.0"],
  ...["192.167.255.255", "192.169.0.0", "192.175.47.255", "192.175.49.0", "198.17.255.255", "198.20.0.0"],
  ...["198.51.99.255", "198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255", "8.8.8.8", "93.184.216.34"],
];
const PUBLIC_V6 = [
  ...["2000::", "2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:200::", "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff"],
  ...["2001:db9::", "2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2003::", "2620:4f:7fff:ffff:ffff:ffff:ffff:ffff"],
  ...[
    "2620:4f:8001::",
    "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "3fff:1000::",
    "3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
  ],
  ...["2606:4700:4700::1111", "2a00:1450:4001:80e::200e", "2a00::5eff:a00:1"],
];

const toNumber = (text: string) => text.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
const toQuad = (value: number) => [24, 16, 8, 0].map((bits) => (value >>> bits) & 255);
const toWide = (text: string) => text.replace(/[0-9a-z]/g, (c) => String.fromCodePoint(c.codePointAt(0)! + 0xfee0));
const toEscaped = (text: string) => text.replace(/./g, (c) => `%${c.charCodeAt(0).toString(16)}`);

/** Every way to write an IPv4 address. */
function spellV4(text: string): string[] {
  const value = toNumber(text);
  const [a, b, c, d] = toQuad(value) as [number, number, number, number];
  const octal = (part: number) => `0${part.toString(8)}`;
  const hex = (part: number) => `0x${part.toString(16)}`;
  const plain = [
    text,
    `${value}`,
    octal(value),
    hex(value),
    `0X${value.toString(16).toUpperCase()}`,
    [a, b, c, d].map(octal).join("."),
    [a, b, c, d].map((part) => `000${part.toString(8)}`).join("."),
    [a, b, c, d].map(hex).join("."),
    `${a}.${value % 2 ** 24}`,
    `${a}.${b}.${value % 2 ** 16}`,
    `${hex(a)}.${octal(b)}.${value % 2 ** 16}`,
    `${octal(a)}.${hex(value % 2 ** 24)}`,
  ];
  const dressed = plain.flatMap((host) => [
    host,
    toWide(host),
    toEscaped(host),
    host.replaceAll(".", "。"),
    `${host}.`,
  ]);
  return [...new Set([...dressed, ...plain.map((host) => host.replaceAll(".", "．"))])];
}

/** IPv4 inside IPv6 where the whole range is refused. */
function embedV4(text: string): string[] {
  const value = toNumber(text);
  const group = (part: number) => part.toString(16);
  const [high, low] = [group(value >>> 16), group(value & 0xffff)];
  const [notHigh, notLow] = [group((value >>> 16) ^ 0xffff), group((value & 0xffff) ^ 0xffff)];
  const tails = [text, `${high}:${low}`];
  return [
    ...tails.flatMap((tail) => [
      `::ffff:${tail}`,
      `::${tail}`,
      `::ffff:0:${tail}`,
      `64:ff9b::${tail}`,
      `0:0:0:0:0:FFFF:${tail}`,
    ]),
    ...tails.map((tail) => `64:ff9b:1::${tail}`),
    `2002:${high}:${low}::1`,
    `2001:0:4136:e378:8000:63bf:${notHigh}:${notLow}`,
    `fe80::5efe:${text}`,
  ];
}

/** ISATAP below a public prefix: as public as the IPv4 address in it. */
const toIsatap = (text: string) => [`2a00:1450::5efe:${text}`, `2a00:1450::200:5efe:${text}`];

function spellV6(text: string): string[] {
  const [head = "", tail] = text.split("::");
  const before = head ? head.split(":") : [];
  const after = tail ? tail.split(":") : [];
  const groups = [...before, ...Array.from({ length: 8 - before.length - after.length }, () => "0"), ...after];
  const [high, low] = groups.slice(6).map((group) => parseInt(group, 16)) as [number, number];
  const dotted = [...groups.slice(0, 6), [high >> 8, high & 255, low >> 8, low & 255].join(".")].join(":");
  const full = groups.join(":");
  return [text, full, full.toUpperCase(), groups.map((group) => group.padStart(4, "0")).join(":"), dotted];
}

const toV6Url = (host: string) => `http://[${host}]/`;
const isAllowed = (url: string) => judgeUrl(url, { ports: [], allow: [] }).ok;
const toInside = ([first, last]: [string, string]) => [first, last, ...middle(first, last)];

function middle(first: string, last: string): string[] {
  if (first.includes(":")) return [];
  const [from, to] = [toNumber(first), toNumber(last)];
  return [1, 2, 3].map((part) => toQuad(from + Math.floor(((to - from) * part) / 4)).join("."));
}

export function describeUrlPolicy(): void {
  describe("the URL policy, in every spelling", () => {
    it("refuses every special-purpose IPv4 address, and IPv6 addresses that contain it", () => {
      const addresses = V4.flatMap(toInside);
      const hosts = addresses.flatMap(spellV4);
      const within = addresses.flatMap((text) => [...embedV4(text), ...toIsatap(text)]);
      const urls = [...hosts.flatMap((host) => [`http://${host}/`, `https://${host}:8443/x`]), ...within.map(toV6Url)];
      expect(urls.length).toBeGreaterThan(10_000);
      expect(urls.filter(isAllowed)).toEqual([]);
    });

    it("refuses every special-purpose IPv6 address, and all that is not global unicast", () => {
      const addresses = [...V6.flatMap(toInside), "1fff:ffff::1", "4000::", "8000::1", "c000::", "e000::1", "fbff::1"];
      expect(addresses.flatMap(spellV6).map(toV6Url).filter(isAllowed)).toEqual([]);
    });

    it("refuses an address with a zone", () => {
      const zones = ["fe80::1%25eth0", "fe80::1%eth0", "fe80::1%251", "::1%25lo", "2606:4700::1%25eth0"];
      expect(zones.map(toV6Url).filter(isAllowed)).toEqual([]);
    });

    it("allows public IPv4 addresses just outside the ranges", () => {
      const urls = PUBLIC_V4.flatMap(spellV4).map((host) => `http://${host}/`);
      expect(urls.filter((url) => !isAllowed(url))).toEqual([]);
      expect(
        PUBLIC_V4.flatMap(toIsatap)
          .map(toV6Url)
          .filter((url) => !isAllowed(url)),
      ).toEqual([]);
    });

    it("allows public IPv6 addresses just outside the ranges", () => {
      expect(
        PUBLIC_V6.flatMap(spellV6)
          .map(toV6Url)
          .filter((url) => !isAllowed(url)),
      ).toEqual([]);
    });
  });

  describe("a name that means inside", () => {
    const suffixes = [
      "localhost",
      "localdomain",
      "internal",
      "local",
      "lan",
      "home",
      "corp",
      "home.arpa",
      "consul",
      "svc",
      "onion",
    ];
    const hosts = [...suffixes, "test", "invalid"].flatMap((suffix) => [suffix, `a.${suffix}`, `a.b-c.${suffix}`]);

    it("is refused in every spelling", () => {
      const spellings = hosts.flatMap((host) => [
        ...[host, host.toUpperCase(), `${host}.`, toWide(host), toEscaped(host), host.replaceAll(".", "。")],
        host.replaceAll("l", "\u00ADl"), // a soft hyphen, which IDNA removes
        host.replaceAll("o", "ⓞ"),
      ]);
      expect(spellings.map((host) => `http://${host}/`).filter(isAllowed)).toEqual([]);
    });

    it("is allowed as a part of a public name", () => {
      const names = hosts.flatMap((host) => [`${host}.example.com`, `x${host.replaceAll(".", "")}.com`]);
      expect(names.map((host) => `http://${host}/`).filter((url) => !isAllowed(url))).toEqual([]);
    });
  });
}
