// The profile's memory: listed, and forgotten entry by entry. What a person forgets does not come back.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { ulid } from "ulid";
import { Forgotten, MemoryList } from "../../core/schemas/api.ts";
import { Sha256 } from "../../core/schemas/ids.ts";
import { MemoryStoreName } from "../../core/schemas/memory.ts";
import { AppError } from "./problems.ts";
import { answers, createRouter } from "./router.ts";
import { openMemory } from "./stores.ts";

export const memory = createRouter();

memory.openapi(
  createRoute({
    method: "get",
    path: "/v1/memory",
    operationId: "listMemory",
    request: { query: z.strictObject({ store: MemoryStoreName.optional() }) },
    responses: answers(200, "Living entries, oldest first", MemoryList),
  }),
  async (c) => {
    const store = openMemory(c.env, c.var.profile);
    const { store: only } = c.req.valid("query");
    const lists = await Promise.all((only ? [only] : MemoryStoreName.options).map((name) => store.list(name)));
    return c.json({ entries: lists.flat() }, 200);
  },
);

memory.openapi(
  createRoute({
    method: "delete",
    path: "/v1/memory/{store}/{memory}",
    operationId: "forget",
    request: { params: z.object({ store: MemoryStoreName, memory: Sha256 }) },
    responses: answers(200, "How many writes of the fact were taken back", Forgotten),
  }),
  async (c) => {
    const { store, memory: id } = c.req.valid("param");
    const by = { op: `api:${ulid()}`, at: Date.now() };
    const removed = await openMemory(c.env, c.var.profile).remove(store, id, by);
    if (removed === 0) throw new AppError("memory_not_found", `There is no living entry of that id in \`${store}\`.`);
    return c.json({ removed }, 200);
  },
);
