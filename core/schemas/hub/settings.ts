// The settings of the hub (`hub.*`). Part of core/schemas/settings.ts. Forms only.
import * as z from "zod";

const count = z.int().min(0);
const ms = z.int().min(0);
const service = z.strictObject({ apiBase: z.url({ protocol: /^https?$/ }).optional() });

export const hub = z
  .strictObject({
    github: service.describe(
      "`apiBase`: another server that speaks GitHub's REST API (and serves raw files at `/<owner>/<repo>/<ref>/<path>`), such as GitHub Enterprise.",
    ),
    skillsSh: service.describe("`apiBase`: another server that speaks the API of skills.sh."),
    clawhub: service.describe("`apiBase`: another server that speaks ClawHub's API."),
    trusted: z
      .array(z.string().regex(/^[\w.-]+\/[\w.-]+$/, "must be `owner/repository`"))
      .max(100)
      .describe(
        "GitHub repositories whose skills may have scripts and minor findings without a further question. No source may have dangerous ones.",
      ),
    maxIndexBytes: count.min(1_000).describe("Bytes of one reply that lists skills: an index, a tree, a search."),
    cacheMs: ms.describe("How long a listing of a source is used again."),
  })
  .describe("Sources of skills (`/v1/hub`). Only an operator can name another server.");
