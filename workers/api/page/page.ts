// What is left of the page (dashboard/) for this Worker: Cloudflare serves its files without it (`[assets]` of wrangler.toml), so a
// request arrives here only when the file does not exist.
import { Hono } from "hono";
import type { ApiEnv } from "../auth/principal.ts";
import { AppError } from "../problems.ts";

export const page = new Hono<ApiEnv>();

page.get("/", () => {
  const detail =
    "This deployment has no page. Deploy it again with `npm run deploy`, or use the API: GET /openapi.json.";
  throw new AppError("route_not_found", detail);
});
page.get("/assets/*", () => {
  throw new AppError("route_not_found", "The page has no such file. A newer version may be deployed: reload the page.");
});
