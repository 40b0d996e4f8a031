// GET /docs: Swagger UI over /openapi.json, to read and to try the API in a browser. Served by this host alone: the renderer comes from
// the deployment's static assets, and the page may load nothing from anywhere else.
import { Hono } from "hono";
import type { ApiEnv } from "../auth/principal.ts";
import { refuseQuery } from "../router.ts";
import { AppError } from "../problems.ts";

export const docsPage = new Hono<ApiEnv>();

const FILES = ["swagger-ui.css", "swagger-ui-bundle.js"] as const;

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Talaria: the API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="api"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/open.js"></script>
</body>
</html>
`;

/** `validatorUrl`: the default would send the document to another host. */
const SCRIPT = `SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#api",
  deepLinking: true,
  docExpansion: "none",
  validatorUrl: null,
});
`;

const HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

docsPage.get("/docs", refuseQuery, (c) => c.html(PAGE, 200, HEADERS));
docsPage.get("/docs/open.js", refuseQuery, (c) =>
  c.body(SCRIPT, 200, { ...HEADERS, "content-type": "text/javascript; charset=utf-8" }),
);
for (const name of FILES) {
  docsPage.get(`/docs/${name}`, refuseQuery, async (c) => {
    const file = await c.env.ASSETS?.fetch(new Request(c.req.url));
    if (!file?.ok) {
      throw new AppError("route_not_found", "This deployment has no static assets. Read GET /openapi.json instead.");
    }
    const headers = new Headers(file.headers);
    for (const [header, value] of Object.entries(HEADERS)) headers.set(header, value);
    return new Response(file.body, { headers });
  });
}
