// What one tenant may know of another: ids, names and paths, but no content. Used by test/flows/two-profiles.stack.test.ts.

/** Words that the other tenant's texts contain. What stands beside them is secret. */
export const KNOWN_WORD = "orchard";
export const SECRET = "zqvlmxwk";

/** Each field but the first two is also the name of a parameter in the contract's paths, or of what a tool takes. */
export interface Facts {
  /** The address of the Workers. */
  deployment: string;
  /** The origin of the pages, the MCP servers and the receivers of webhooks. */
  site: string;
  profile: string;
  session: string;
  /** A session on the exec host, and a background command of it. */
  machine: string;
  process: string;
  /** A session that the first one delegated a task to. */
  child: string;
  /** A session that began as the first one was. */
  branch: string;
  /** A session that waits for the answer to a question, and the question's id. */
  asked: string;
  question: string;
  name: string;
  path: string;
  /** SHA-256 of an image of a message. */
  image: string;
  memory: string;
  review: string;
  run: string;
  /** A run of `POST /v1/runs`, and a response of `POST /v1/responses`. */
  work: string;
  response: string;
  /** A text that was tried, and is not in the library. */
  experiment: string;
  approval: string;
  pending: string;
  allowance: string;
  /** Of a key. */
  id: string;
  server: string;
  /** The name of a place of skills. */
  tap: string;
  policy: string;
  hook: string;
  /** The name of a route for inbound webhooks. */
  webhook: string;
  personality: string;
  board: string;
  role: string;
  job: string;
}

/** Of both tenants an MCP server has this name, which is a part of its tools' names. */
export const SERVER = `${KNOWN_WORD}-notes`;

/** A whole skill whose sections say `text`. */
export function toSkillMd(name: string, text: string): string {
  const sections = ["When to use", "Steps", "Pitfalls", "Verify"].map((title) => `## ${title}\n\n1. ${text}\n`);
  return `---\nname: ${name}\ndescription: ${text}\n---\n\n# ${name}\n\n${sections.join("\n")}`;
}

/** Facts of the same shape about nothing: what never existed must get the same answers as what is another's. */
export function inventFacts(facts: Facts): Facts {
  const { deployment, site, run, name, path, process, hook, webhook, server, tap, policy, personality, board, role } =
    facts;
  const { job } = facts;
  const others: { [field in keyof Facts]?: string } = Object.fromEntries(
    Object.entries(facts).map(([field, value]) => [field, turnDigits(value)]),
  );
  const toOther = (text: string) => text.replace(KNOWN_WORD, "meadows");
  return {
    ...(others as Facts),
    ...{ deployment, site, process },
    run: `${run.slice(0, -4)}zzzz`,
    name: toOther(name),
    path: toOther(path),
    hook: `${hook.slice(0, -1)}${hook.endsWith("z") ? "a" : "z"}`,
    webhook: toOther(webhook),
    ...{ board: toOther(board), role: toOther(role), job: toOther(job) },
    ...{ server: toOther(server), tap: toOther(tap), policy: toOther(policy), personality: toOther(personality) },
  };
}

/** Still valid as an id, and of the same length. */
function turnDigits(value: string): string {
  return value.replace(/[2-8]/g, (digit) => String(10 - Number(digit)));
}

/** What both tenants may share. */
const COMMON = new Set(["deployment", "site", "process"]);

/** Without what differs between two tenants that asked the same: ids, times and durations. */
export function withoutIds(text: string, ...known: Facts[]): string {
  let plain = text;
  for (const facts of known) {
    const fields = Object.entries(facts).filter(([field]) => !COMMON.has(field));
    // Longer values first: a review's id contains its session's.
    for (const [field, value] of fields.toSorted(([, a], [, b]) => b.length - a.length)) {
      plain = plain.replaceAll(value, `<${field}>`);
    }
    plain = plain.replaceAll(facts.image.slice(0, 12), "<image>").replaceAll(facts.image.slice(0, 8), "<image>");
  }
  return (
    plain
      // Addresses that others call have their own profile in them.
      .replace(/\/(hooks|channels\/[\w-]+)\/[0-9a-hjkmnp-tv-z]{26}\b/g, "/$1/<own>")
      .replace(/\b[0-9A-HJKMNP-TV-Z]{26}\b/g, "<ulid>")
      .replace(/\b\d{8}T\d{6}Z-\w{4}\b/g, "<run>")
      .replace(/\b[0-9a-f]{64}\b/g, "<sha>")
      .replace(/(?<=Make these calls: )[\w+/=]+/g, "<calls>")
      .replace(/\bresp_[0-9a-f]{32}\b/g, "<response>")
      .replace(/\breq_<ulid>/g, "<request>")
      .replace(/\bkey_\w{12}\b/g, "<key>")
      .replace(/\bsin_\w{12}\b/g, "<sign-in>")
      .replace(/\btlink_\w{79}\b/g, "<sign-in code>")
      .replace(/\btlib_\w{79}\b/g, "<library code>")
      .replace(/\binv_\w{12}\b/g, "<invitation>")
      .replace(/(?<="(?:profile|target)":")[0-9a-z]{26}(?=")/g, "<the caller's profile>")
      .replace(/\bhook_\w{12}\b/g, "<hook>")
      .replace(/(?<="(?:id|card|run)":")[cjr][0-9a-hjkmnp-tv-z]{12}(?=")/g, "<board or job>")
      .replace(/\bmsg_[0-9a-f]{32}\b/g, "<event>")
      .replace(/\bwhsec_[\w+/]+=*/g, "<hook secret>")
      .replace(/("pending\\?":\\?")[0-9a-f]{20}/g, "$1<pending>")
      .replace(/(?<="(?:created|created_at|completed_at)":)\d{10}\b/g, "<s>")
      .replace(/\b\d{13}\b|(?<="(?:ms|durationMs|duration_ms)":)\d+(?:\.\d+)?/g, "<ms>")
      .replace(/(?<=\d )\d\d:\d\d\b/g, "<time>")
      .replace(/\bexp_\w{26}\b/g, "<export>")
      .replace(/^\{"in":"[^]*/, "<lines>")
      .replace(/^PK[^]*/, "<zip>")
  );
}
