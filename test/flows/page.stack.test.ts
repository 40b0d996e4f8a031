// The page as a deployment serves it: the document, its files and their headers, without a credential and without the Worker.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root } from "../../scripts/stack/wrangler.ts";
import { type Product, startProduct } from "../support/product.ts";

let product: Product;
/** Addresses in the document. */
let files: string[];
beforeAll(async () => {
  product = await startProduct({ vars: { TALARIA_OPERATOR_TOKEN: "operator-token-for-tests" } });
  files = [...(await (await product.fetch("/")).text()).matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!);
});
afterAll(() => product?.close());

const SECURITY = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; " +
    "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
    "require-trusted-types-for 'script'; trusted-types dompurify",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-dns-prefetch-control": "off",
};
const readHeaders = (answer: Response) => Object.fromEntries(answer.headers);

describe("the document", () => {
  it("is answered to everybody, with a strict policy and an ETag, and is asked for again each time", async () => {
    const answer = await product.fetch("/");
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("<title>Talaria</title>")]);
    expect(readHeaders(answer)).toMatchObject({
      ...SECURITY,
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-cache",
    });
    expect(answer.headers.get("permissions-policy")).toMatch(/\bcamera=\(\).*\bmicrophone=\(\)/);
    expect(answer.headers.has("set-cookie")).toBe(false);
    const etag = answer.headers.get("etag")!;
    for (const known of [etag, `W/${etag}`]) {
      const again = await product.fetch("/", { headers: { "if-none-match": known } });
      expect([again.status, await again.text()]).toEqual([304, ""]);
      expect(readHeaders(again)).toMatchObject({ ...SECURITY, etag });
    }
  });

  it("has the same headers for HEAD", async () => {
    const answer = await product.fetch("/", { method: "HEAD" });
    expect([answer.status, await answer.text()]).toEqual([200, ""]);
    expect(readHeaders(answer)).toMatchObject({ ...SECURITY, "cache-control": "no-cache" });
  });

  it("holds no script or style of its own and names only files of this host", async () => {
    const html = await (await product.fetch("/")).text();
    expect(html).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=|\sstyle=/);
    expect(files.length).toBeGreaterThan(1);
    expect(files.filter((path) => !/^\/[^/]/.test(path))).toEqual([]);
  });

  it.each(["/index.html", "/index", "/%69ndex.html", "//index.html", "/assets/../index.html"])(
    "%s leads to it, under the same policy",
    async (path) => {
      const answer = await product.fetch(path, { redirect: "manual" });
      if (answer.status === 200) expect(readHeaders(answer)).toMatchObject(SECURITY);
      else expect([answer.status, answer.headers.get("location")]).toEqual([307, "/"]);
    },
  );
});

describe("a file of the page", () => {
  it("is kept by a browser for a year under a name that changes with its content", async () => {
    const assets = files.filter((path) => path.startsWith("/assets/"));
    expect(new Set(assets.map((path) => path.replace(/.*\./, "")))).toEqual(new Set(["css", "js"]));
    for (const path of assets) {
      const answer = await product.fetch(path);
      expect(readHeaders(answer)).toMatchObject({
        "cache-control": "public, max-age=31536000, immutable",
        "content-type": expect.stringMatching(/^text\/(?:css|javascript)/),
        "x-content-type-options": "nosniff",
        "cross-origin-resource-policy": "same-origin",
      });
      expect(path).toMatch(/-[\w-]{8}\.(?:css|js)$/);
      const text = await answer.text();
      expect(text).not.toMatch(/sourceMappingURL/);
      const etag = answer.headers.get("etag")!;
      expect((await product.fetch(path, { headers: { "if-none-match": etag } })).status).toBe(304);
    }
  });

  it("that does not exist is a 404 that nothing caches, never the document", async () => {
    for (const path of ["/assets/x", "/assets/index-00000000.js", "/assets/", "/assets/index.html"]) {
      const answer = await product.fetch(path);
      expect([path, answer.status, answer.headers.get("cache-control")]).toEqual([path, 404, null]);
      expect(await answer.json()).toMatchObject({ code: "route_not_found", detail: expect.stringContaining("reload") });
    }
  });

  it("is not the list of headers", async () => {
    expect((await product.fetch("/_headers")).status).toBe(401);
  });
});

it("requests of the API reach the Worker first", () => {
  const toml = readFileSync(join(root, "wrangler.toml"), "utf8");
  const [, list] = /^run_worker_first = (\[.*\])$/m.exec(toml)!;
  expect(JSON.parse(list!)).toEqual(expect.arrayContaining(["/v1/*", "/docs/*", "/hooks/*", "/channels/*"]));
});
