// What a client wishes of a call: the form of the answer, a forced call, sampling. A provider that refuses one by name is asked again
// without it, and each isolate remembers which values a model refuses. Used by the three adapters. Nothing happens without wishes.
import type { ModelRequest } from "../../agent/contract.ts";
import { sha256Hex } from "../../schemas/learning/digest.ts";
import { readErrorBody } from "../failures/error-reply.ts";
import { findRule } from "../failures/failure-rules.ts";
import { ReplyRefused } from "../failures/refused-reply.ts";

/** A field that only a wish has set. `named`: how a refusal names it. `drop`: the body without it. */
export interface Wish<Body> {
  field: string;
  named: RegExp;
  value: unknown;
  drop(body: Body): Body;
}

/** OpenAI requires a name. */
export const FORMAT_NAME = "answer";

/** `none` and `auto` are no wishes: the harness sets them. */
export function forcedChoice({ tools, toolChoice }: ModelRequest): "required" | { name: string } | null {
  return tools.length > 0 && toolChoice !== "auto" && toolChoice !== "none" ? toolChoice : null;
}

/** The wish for a field of the body's own; `null` if the body has none. */
export function wishFor<Body extends object>(body: Body, field: string, named?: RegExp): Wish<Body> | null {
  const { [field]: value } = body as Record<string, unknown>;
  if (value === undefined) return null;
  return {
    ...{ field, value, named: named ?? new RegExp(`\\b${field}\\b`) },
    drop(whole) {
      const { [field]: _, ...others } = whole as Record<string, unknown>;
      return others as Body;
    },
  };
}

const MAX_READ_CHARS = 8_000;
/** Values that one isolate remembers. */
const MAX_REFUSED = 1_000;

/** By server, field and value: a model may take another temperature. */
const refused = new Set<string>();

/** `server`: address and model. */
export async function sendWithWishes<Body extends object>(
  server: string,
  body: Body,
  wishes: readonly (Wish<Body> | null)[],
  send: (body: Body) => Promise<Response>,
): Promise<Response> {
  const keyOf = ({ field, value }: Wish<Body>) => sha256Hex(JSON.stringify([server, field, value]));
  const all = wishes.filter((wish) => wish !== null);
  let open = all.filter((wish) => !refused.has(keyOf(wish)));
  for (;;) {
    const sent = all.filter((wish) => !open.includes(wish)).reduce((done, wish) => wish.drop(done), body);
    try {
      return await send(sent);
    } catch (thrown) {
      const wish = thrown instanceof ReplyRefused ? findRefused(thrown, open) : null;
      if (!wish) throw thrown;
      open = open.filter((one) => one !== wish);
      if (refused.size < MAX_REFUSED) refused.add(keyOf(wish));
    }
  }
}

function findRefused<Body>({ reply }: ReplyRefused, open: Wish<Body>[]): Wish<Body> | null {
  const read = readErrorBody(reply.body);
  const { means } = findRule({ ...read, ...(reply.status !== undefined && { status: reply.status }) });
  if (means !== "bad_request") return null;
  const said = JSON.stringify(reply.body).slice(0, MAX_READ_CHARS);
  return open.find(({ named }) => named.test(said)) ?? null;
}
