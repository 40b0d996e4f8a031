// `talaria dashboard`: a link that signs a browser in to the page, once. Opens nothing.
import { SignInLink } from "../../core/schemas/keys/sign-in.ts";
import type { Verb } from "../command-line/verb.ts";
import { toSignInLink } from "../connection/sign-in-link.ts";

const MINUTE_MS = 60_000;

export const dashboard: Verb = {
  name: "dashboard",
  help: "write a link that signs a browser in to the page, once",
  actions: [
    {
      name: null,
      help: "the link, on stdout; it ends after ten minutes, or when it is opened",
      async run({ json, output, client, connection }) {
        const made = await client().call(SignInLink, "POST /v1/sign-in-links", {
          body: { label: "talaria dashboard" },
        });
        const link = toSignInLink(connection().url, made.code);
        if (json) return output.json({ link, expiresAt: made.expiresAt });
        const minutes = Math.max(1, Math.round((made.expiresAt - Date.now()) / MINUTE_MS));
        output.note(`Open this link within ${minutes} min. It signs one browser in, once.`);
        output.text(link);
      },
    },
  ],
};
