// Reads the fields of a request, strictly: a wrong or unknown field is `request_malformed`, with its name. Called by routes.ts.
import { Problem } from "./problem.ts";

/** Takes fields one by one; `end` refuses what nobody took. */
export class Fields {
  readonly #fields: Map<string, unknown>;

  constructor(body: Iterable<[string, unknown]>) {
    this.#fields = new Map(body);
  }

  text(name: string, max: number, fallback?: string): string {
    const value = this.#take(name) ?? fallback;
    if (typeof value !== "string" || value.length > max) throw malformed(name, `a string of at most ${max} characters`);
    return value;
  }

  /** A whole number; from a query string too. */
  int(name: string, { min = 0, max, fallback }: { min?: number; max: number; fallback?: number }): number {
    const given = this.#take(name) ?? fallback;
    const value = typeof given === "string" && /^\d{1,16}$/.test(given) ? Number(given) : given;
    if (typeof value !== "number" || !Number.isSafeInteger(value) || value < min || value > max) {
      throw malformed(name, `a whole number from ${min} to ${max}`);
    }
    return value;
  }

  flag(name: string): boolean {
    const value = this.#take(name) ?? false;
    if (typeof value !== "boolean") throw malformed(name, "true or false");
    return value;
  }

  oneOf<Choice extends string>(name: string, choices: readonly Choice[], fallback?: Choice): Choice {
    const value = this.#take(name) ?? fallback;
    const found = choices.find((choice) => choice === value);
    if (found === undefined) throw malformed(name, `one of ${choices.join(", ")}`);
    return found;
  }

  /** Bytes in base64; absent: `undefined`. */
  bytes(name: string, max: number): Buffer | undefined {
    const value = this.#take(name);
    if (value === undefined) return undefined;
    // A loop of groups of four would do the same; this pattern has one repetition only.
    if (typeof value !== "string" || value.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(value)) {
      throw malformed(name, "bytes in base64");
    }
    const bytes = Buffer.from(value, "base64");
    if (bytes.length > max) throw new Problem("file_too_large", `'${name}' may have at most ${max} bytes.`);
    return bytes;
  }

  /** A string, `null`, or absent. */
  nullable(name: string, max: number): string | null | undefined {
    return this.#fields.get(name) === null
      ? (this.#take(name) as null)
      : this.has(name)
        ? this.text(name, max)
        : undefined;
  }

  has(name: string): boolean {
    return this.#fields.has(name);
  }

  /** What is still to be taken, as it was sent. */
  rest(): Record<string, unknown> {
    return Object.fromEntries(this.#fields);
  }

  end(): void {
    const [name] = this.#fields.keys();
    if (name !== undefined) throw new Problem("request_malformed", `There is no field '${name.slice(0, 100)}' here.`);
  }

  #take(name: string): unknown {
    const value = this.#fields.get(name);
    this.#fields.delete(name);
    return value;
  }
}

function malformed(name: string, wanted: string): Problem {
  return new Problem("request_malformed", `'${name}' must be ${wanted}.`);
}
