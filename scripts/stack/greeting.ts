// What `npm start` prints once it serves, with a link that signs a browser in to the page. The link is printed and stored nowhere: neither in
// .talaria/ nor in the Workers' log.
import { SignInLink } from "../../core/schemas/keys/sign-in.ts";
import { toPageAddress, toSignInLink } from "../../cli/connection/sign-in-link.ts";

export interface Greeting {
  /** The address on this machine. */
  url: string;
  /** TALARIA_PUBLIC_URL: where the page is reached from elsewhere. */
  publicUrl: string | undefined;
  /** Of `makeSignInCode`. */
  code: string | null;
  profile: string;
  model: string;
  /** The file with the key, and the Workers' log, as the person types them. */
  access: string;
  log: string;
  /** Of the exec host. */
  folder: string | undefined;
}

export function writeGreeting({ url, publicUrl = url, code, profile, model, access, log, folder }: Greeting): string {
  const once = code === null ? "sign in with the key" : `sign in once with ${toSignInLink(publicUrl, code)}`;
  return `Talaria is listening on ${url}
Page: ${toPageAddress(publicUrl)} (${once})
Model: ${model}${model.startsWith("rehearsal") ? " (no model key is set; see docs/CONFIGURATION.md)" : ""}
Profile: ${profile} (its key is in ${access})
Log: ${log}${folder === undefined ? "" : `\nExec host: ${folder} (npm run chat -- --backend host)`}

Try it from another terminal: npm run chat, or

  KEY=$(sed -n 's/.*"key": "\\(.*\\)".*/\\1/p' ${access})
  SESSION=$(curl -s ${url}/v1/sessions -H "authorization: Bearer $KEY" \\
    -H "content-type: application/json" -d '{}' | sed 's/.*"session":"\\([^"]*\\)".*/\\1/')
  curl -N ${url}/v1/sessions/$SESSION/messages -H "authorization: Bearer $KEY" \\
    -H "accept: text/event-stream" -H "content-type: application/json" -d '{"text":"What can you do?"}'

Ctrl-C stops it.`;
}

/** `null`: the key cannot make one, for example because a person gave it too few scopes. Everything else still works. */
export async function makeSignInCode(url: string, key: string): Promise<string | null> {
  const answer = await fetch(`${url}/v1/sign-in-links`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ label: "npm start" }),
  });
  const text = await answer.text();
  return answer.ok ? SignInLink.parse(JSON.parse(text)).code : null;
}
