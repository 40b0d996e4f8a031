// What the api Worker says where the files of the page are missing: a deployment serves them without it.
import { expect, it } from "vitest";
import { START_MS, fetchApi } from "./api-calls.ts";

it(
  "a deployment without a page says so to everybody",
  async () => {
    for (const [method, path] of [
      ["GET", "/"],
      ["GET", "/assets/index-00000000.js"],
    ] as const) {
      const answer = await fetchApi(method, path);
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({
        code: "route_not_found",
        detail: path === "/" ? expect.stringContaining("has no page") : expect.stringContaining("reload the page"),
      });
    }
    expect((await fetchApi("HEAD", "/")).status).toBe(404);
    expect((await fetchApi("POST", "/")).status).toBe(401);
  },
  START_MS,
);
