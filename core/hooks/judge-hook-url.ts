// Whether events may be posted to a URL: the URL policy, and https, because a body names a profile's sessions and skills. Asked at
// the subscription and before every attempt. Pure.
import { type Result, err } from "../errors.ts";
import { type UrlPolicy, judgeUrl } from "../outbound/judge-url.ts";

/** The operator may except an origin (`outbound.allow`), such as a receiver on the same machine. Failure: `url_refused`. */
export function judgeHookUrl(url: string, policy: UrlPolicy): Result<URL> {
  const judged = judgeUrl(url, policy);
  if (!judged.ok || judged.value.protocol === "https:" || policy.allow.includes(judged.value.origin)) return judged;
  return err("url_refused", "The URL is refused: events are sent over https only. Use an https URL.", {
    reason: "scheme",
  });
}
