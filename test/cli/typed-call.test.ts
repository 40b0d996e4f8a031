// Calls by the name of a route. That routes, parameters and bodies exist is checked by the compiler.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { fillRoute } from "../../cli/connection/routes.ts";
import { createCall } from "../../cli/connection/typed-call.ts";

describe("a typed call", () => {
  it("fills the parameters in, each escaped, and leaves out query fields without a value", () => {
    const filled = { params: { name: "a/b ?#", rev: 3 }, query: { against: undefined } };
    expect(fillRoute("GET /v1/skills/{name}/revisions/{rev}/diff", filled)).toEqual([
      "GET",
      "/v1/skills/a%2Fb%20%3F%23/revisions/3/diff",
    ]);
    expect(fillRoute("GET /v1/search", { query: { q: "a&b", limit: "2" } })).toEqual([
      "GET",
      "/v1/search?q=a%26b&limit=2",
    ]);
  });

  it.each([".", ".."])("keeps the parameter %s in its place", (name) => {
    const [, path] = fillRoute("DELETE /v1/skills/{name}", { params: { name } });
    expect(new URL(path, "http://a.example").pathname).toMatch(/^\/v1\/skills\/[^/]+$/);
  });

  it("sends a body and headers only where they are given, and refuses an answer of another form", async () => {
    const sent: unknown[] = [];
    const call = createCall({
      json: async <T>(schema: z.ZodType<T>, ...request: unknown[]) => {
        sent.push(request);
        return schema.parse({ stopped: "no list" });
      },
    });
    const answer = z.object({ stopped: z.array(z.string()) });
    await expect(call(answer, "POST /v1/sessions/{session}/stop", { params: { session: "s" } })).rejects.toThrow(
      z.ZodError,
    );
    expect(sent).toEqual([["POST", "/v1/sessions/s/stop", {}]]);
  });

  it("does not compile for a route, a parameter or a body that the API does not have", () => {
    const call = createCall({ json: () => Promise.reject(new Error("not sent")) });
    const never = () => [
      // @ts-expect-error there is no such route
      call(z.unknown(), "GET /v1/session"),
      // @ts-expect-error the session is missing
      call(z.object({ stopped: z.array(z.string()) }), "POST /v1/sessions/{session}/stop"),
      // @ts-expect-error `learnign` is no field
      call(z.any(), "POST /v1/sessions", { body: { learnign: "off" } }),
    ];
    expect(never).toBeTypeOf("function");
  });
});
