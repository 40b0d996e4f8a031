import { describe, expect, it } from "vitest";
import { judgeUrl } from "../../core/outbound/judge-url.ts";

const POLICY = { ports: [3000], allow: ["http://localhost:8888"] };
const reasonOf = (url: string) => {
  const judged = judgeUrl(url, POLICY);
  return judged.ok ? "allowed" : [judged.failure.code, judged.failure.facts?.reason].join(" ");
};

describe("the URL policy", () => {
  it.each([
    "http://example.com",
    "https://www.example.com:443/a?b#c",
    "http://example.com.:8080/",
    `http://${"a".repeat(63)}.com/`,
    `http://${"a.".repeat(125)}com./`,
    "https://example.com:8443/",
    "http://example.com:3000/",
    "https://bücher.example.org/",
    "http://134744072/",
    "http://0x08.8.0010.8/",
    "https://[2606:4700:4700::1111]/",
    "http://localhost.example.com/",
    "http://127.0.0.1.example.com/",
    "http://internal.example.com/",
    "http://8-8-8-8.sslip.io/",
    "http://www.nip.io/",
    "http://localhost:8888/search",
    "HTTP://EXAMPLE.COM/",
    "http:example.com",
  ])("allows %s", (url) => {
    expect(reasonOf(url)).toBe("allowed");
  });

  it.each([
    ["", "invalid"],
    ["example.com", "invalid"],
    ["http://", "invalid"],
    ["http://1.2.3.256/", "invalid"],
    ["http://[fe80::1%25eth0]/", "invalid"],
    ["http://exa mple.com/", "invalid"],
    ["ftp://example.com/", "scheme"],
    ["file:///etc/passwd", "scheme"],
    ["data:text/plain,hello", "scheme"],
    ["ws://example.com/", "scheme"],
    ["javascript:fetch('http://example.com')", "scheme"],
    ["http://user@example.com/", "credentials"],
    ["http://:word@example.com/", "credentials"],
    ["http://user@localhost:8888/", "credentials"],
    ["http://example.com:22/", "port"],
    ["http://example.com:0/", "port"],
    ["https://example.com:6379/", "port"],
    ["http://localhost:8889/", "port"],
    ["https://localhost:8888/", "port"],
    ["http://localhost/", "name"],
    ["http://LOCALHOST./", "name"],
    ["http://app.localhost/", "name"],
    ["http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/", "name"],
    ["http://printer/", "name"],
    ["http://example..com/", "name"],
    [`http://${"a".repeat(64)}.com/`, "name"],
    [`http://${"a.".repeat(126)}com/`, "name"],
    ["http://a.localdomain/", "name"],
    ["http://metadata.google.internal/", "name"],
    ["http://nas.local/", "name"],
    ["http://router.lan/", "name"],
    ["http://nas.home/", "name"],
    ["http://wiki.corp/", "name"],
    ["http://nas.home.arpa/", "name"],
    ["http://db.service.consul/", "name"],
    ["http://kubernetes.default.svc/", "name"],
    ["http://kubernetes.default.svc.cluster.local/", "name"],
    ["http://abc.onion/", "name"],
    ["http://a.test/", "name"],
    ["http://a.invalid/", "name"],
    ["http://wiki.intranet/", "name"],
    ["http://a.private/", "name"],
    ["http://app.localtest.me/", "name"],
    ["http://127.0.0.1.nip.io/", "name"],
    ["http://app.10.0.0.1.nip.io/", "name"],
    ["http://app-192-168-0-1.sslip.io/", "name"],
    ["http://--1.sslip.io/", "name"],
    ["http://fe80--1.sslip.io/", "name"],
    ["http://7f000001.c0a80001.rbndr.us/", "name"],
  ])("refuses %s because of its %s", (url, reason) => {
    expect(reasonOf(url)).toBe(`url_refused ${reason}`);
  });

  it("never repeats the URL in its message", () => {
    const judged = judgeUrl("http://secret-word@127.0.0.1/secret-word", POLICY);
    expect(JSON.stringify(judged)).not.toContain("secret-word");
  });
});
