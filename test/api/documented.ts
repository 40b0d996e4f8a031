// Compares an answer with the contract: every status, and every code of a problem, is documented for its route.
import { exports } from "cloudflare:workers";

interface Documented {
  method: string;
  path: RegExp;
  /** Parameters: of two matching paths, the one with fewer is meant. */
  parameters: number;
  /** By status: the codes, or `null` for an answer that is not a problem. */
  answers: Map<string, Set<string> | null>;
}

interface Response {
  content?: Record<string, { schema: { allOf?: { properties?: { code: { enum: string[] } } }[] } }>;
}

let loading: Promise<Documented[]> | undefined;

/** Why the answer is not documented, or `null`. Unknown routes and answers that the test changes on purpose are not looked at. */
export async function findUndocumented(
  method: string,
  url: string,
  answer: { status: number; code?: string | undefined },
): Promise<string | null> {
  loading ??= loadContract();
  const { pathname } = new URL(url, "https://talaria.test");
  const known = (await loading)
    .filter((one) => one.method === (method === "HEAD" ? "GET" : method) && one.path.test(pathname))
    .sort((a, b) => a.parameters - b.parameters)[0];
  if (!known) return null;
  const codes = known.answers.get(String(answer.status));
  if (codes === undefined) return `${method} ${pathname}: ${answer.status} ${answer.code ?? ""} is not documented`;
  if (codes === null || answer.code === undefined || codes.has(answer.code)) return null;
  return `${method} ${pathname}: the code ${answer.code} is not documented for ${answer.status}`;
}

async function loadContract(): Promise<Documented[]> {
  const response = await exports.default.fetch("https://talaria.test/openapi.json");
  const { paths } = await response.json<{
    paths: Record<string, Record<string, { responses: Record<string, Response> }>>;
  }>();
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { responses }]) => ({
      method: method.toUpperCase(),
      path: toPattern(path),
      parameters: path.split("{").length,
      answers: new Map(Object.entries(responses).map(([status, one]) => [status, readCodes(one)])),
    })),
  );
}

function toPattern(path: string): RegExp {
  const parts = path.split("/").map((part) => {
    if (part === "{path}" || part === "{artifact}") return ".+";
    return part.startsWith("{") ? "[^/]+" : part.replaceAll(/[.*+?]/g, "\\$&");
  });
  return new RegExp(`^${parts.join("/")}$`);
}

function readCodes({ content = {} }: Response): Set<string> | null {
  const codes = content["application/problem+json"]?.schema.allOf?.[1]?.properties?.code.enum;
  return codes ? new Set(codes) : null;
}
