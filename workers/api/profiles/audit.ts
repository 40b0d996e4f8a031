// The audit log of a profile: which credential changed what. Read only; auth/note-act.ts writes it.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { AuditList } from "../../../core/schemas/keys/audit.ts";
import { numeric, createRouter, describeResponses } from "../router.ts";
import { pageQuery } from "../pages.ts";
import { askDesk } from "../../../wiring/ask-desk.ts";
import { openAccount } from "../sessions/session-rpc.ts";

export const audit = createRouter();

audit.openapi(
  createRoute({
    method: "get",
    path: "/v1/audit",
    operationId: "listAudit",
    scope: "admin",
    description:
      "Lists what credentials have changed in the last 90 days: keys, sign-ins, settings, policies, hooks, MCP servers, skills, facts written " +
      "by hand or by MCP, decisions and approvals, the curator, deletions, exports and imports. `key`: what this key and its sign-ins did, or `operator`. Never the content.",
    request: {
      query: z.strictObject({
        ...pageQuery(200, { after: numeric(1, 999_999_999) }),
        key: z.string().min(1).max(200).optional(),
        act: z
          .string()
          .regex(/^[a-z_]{1,40}$/)
          .optional(),
      }),
    },
    responses: describeResponses(200, "Entries, newest first", AuditList),
  }),
  async (c) => {
    const { after, limit, key, act } = c.req.valid("query");
    const entries = await askDesk(openAccount(c.env, c.var.profile).keyDesk(), (desk) =>
      desk.listAudit({ before: after, limit: limit + 1, key, act }),
    );
    const page = entries.slice(0, limit);
    return c.json({ entries: page, ...(entries.length > limit && { next: String(page.at(-1)!.id) }) }, 200);
  },
);
