// The ledger of what went out to chats and what waits. The profile's Channels object sends and keeps it for 30 days.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { DeliveryInfo } from "../../../core/schemas/channels/ledger.ts";
import { pageQuery } from "../pages.ts";
import { createRouter, describeResponses, numeric } from "../router.ts";
import { openChannels } from "./channels.ts";

export const deliveries = createRouter();

const MAX_PAGE = 200;

const DeliveryList = z.object({ deliveries: z.array(DeliveryInfo), next: z.string().optional() });

deliveries.openapi(
  createRoute({
    method: "get",
    path: "/v1/deliveries",
    operationId: "listChannelDeliveries",
    description:
      "Lists what was sent to chats and what waits, of all channels: its attempts, and why one failed. Entries are kept for 30 days, without their texts.",
    request: { query: z.strictObject(pageQuery(MAX_PAGE, { after: numeric(1, 999_999_999) })) },
    responses: describeResponses(200, "Deliveries, newest first", DeliveryList),
  }),
  async (c) => {
    const { after, limit } = c.req.valid("query");
    const { page, next } = await openChannels(c).listDeliveries({
      limit,
      ...(after !== undefined && { before: after }),
    });
    return c.json({ deliveries: page, ...(next !== undefined && { next: String(next) }) }, 200);
  },
);
