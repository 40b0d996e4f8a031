// The ledger of operations: each request that changes something carries an `op`, and an op is carried out once, however often it is
// requested. Kept in memory while the host lives: a host that was started again knows none, and answers `op_unknown` to `attach`.
import { createHash } from "node:crypto";
import { LIMITS } from "./limits.ts";
import { Problem, type ProblemCode } from "./problem.ts";

export interface Operation {
  op: string;
  /** Only ask what became of it; never carry it out. */
  attach: boolean;
  /** What is requested: the same op with another request is refused. */
  request: unknown;
}

/** Nothing was done, and the same request may succeed later. Every other failure is remembered like a success. */
const LATER: ReadonlySet<ProblemCode> = new Set(["too_many_commands", "stdin_full"]);

export class Ops<Answer> {
  readonly #known = new Map<string, { request: string; answer: Promise<Answer> }>();

  /** The answer of the first request with this op. Throws a Problem. */
  once({ op, attach, request }: Operation, carryOut: () => Promise<Answer>): Promise<Answer> {
    const print = createHash("sha256").update(JSON.stringify(request)).digest("base64");
    const known = this.#known.get(op);
    if (known && !attach && known.request !== print) {
      throw new Problem("op_conflict", "This op was used for another request. Use a new one for each operation.");
    }
    if (known) return known.answer;
    if (attach)
      throw new Problem(
        "op_unknown",
        "This host knows no such op: it never came, or the host was started again since.",
      );
    if (this.#known.size >= LIMITS.ops) {
      throw new Problem("host_full", "The host has carried out as many operations as it can remember. Start it again.");
    }
    const answer = carryOut();
    this.#known.set(op, { request: print, answer });
    answer.catch((error: unknown) => {
      if (error instanceof Problem && LATER.has(error.code)) this.#known.delete(op);
    });
    return answer;
  }
}
