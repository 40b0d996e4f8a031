// The page at /docs comes whole from this host.
import { describe, expect, it } from "vitest";
import { START_MS, fetchApi } from "../api-calls.ts";

describe("the page to try the API", () => {
  it(
    "loads only files of this host, which are served without a key",
    async () => {
      const page = await fetchApi("GET", "/docs");
      expect(page.status).toBe(200);
      expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
      const html = await page.text();
      const named = [...html.matchAll(/(?:src|href)="([^"]+)"/g)]
        .map((match) => match[1]!)
        .filter((url) => !url.startsWith("data:"));
      expect(named).toHaveLength(3);
      for (const url of named) {
        const file = await fetchApi("GET", url);
        expect({ url, status: file.status }).toEqual({ url, status: 200 });
        expect(file.headers.get("content-type")).toMatch(/^text\/(?:css|javascript)/);
        expect((await file.text()).length).toBeGreaterThan(100);
      }
    },
    START_MS,
  );

  it("opens no other asset of the deployment and takes no query field", async () => {
    for (const path of [
      "/index.html",
      "/swagger-ui.css",
      "/docs/index.html",
      "/docs/package.json",
      "/docs/..%2fpackage.json",
    ]) {
      const response = await fetchApi("GET", path);
      expect({ path, refused: [401, 404].includes(response.status) }).toEqual({ path, refused: true });
    }
    expect((await fetchApi("GET", "/docs?url=https://elsewhere.test")).status).toBe(400);
  });
});
