// Which events a webhook route takes: conditions on values of the payload. Forms only; core/webhooks/filters.ts decides.
import * as z from "zod";

/** [own] Of one filter, with everything inside it. */
const MAX_DEPTH = 8;
const MAX_MANY = 50;
const MAX_VALUE_CHARS = 2_000;
const MAX_REGEX_CHARS = 500;

/** Names of fields, joined by dots: `pull_request.labels.0.name`. */
export const PayloadPath = z
  .string()
  .max(200)
  .regex(/^[A-Za-z0-9_$@:-]+(?:\.[A-Za-z0-9_$@:-]+)*$/, "names of fields, joined by dots");

const Scalar = z.union([z.string().max(MAX_VALUE_CHARS), z.number(), z.boolean(), z.null()]);

/** `field` and exactly one condition on it. */
const Condition = z.union([
  z.strictObject({ field: PayloadPath, exists: z.literal(true) }),
  z.strictObject({ field: PayloadPath, missing: z.literal(true) }),
  z.strictObject({ field: PayloadPath, equals: Scalar }),
  z.strictObject({ field: PayloadPath, not_equals: Scalar }),
  z.strictObject({ field: PayloadPath, contains: Scalar }),
  z.strictObject({ field: PayloadPath, in: z.array(Scalar).min(1).max(MAX_MANY) }),
  z.strictObject({ field: PayloadPath, regex: z.string().min(1).max(MAX_REGEX_CHARS) }),
]);
export type Condition = z.infer<typeof Condition>;

export type Filter = Condition | { all: Filter[] } | { any: Filter[] } | { not: Filter };

const Nested: z.ZodType<Filter> = z.lazy(() =>
  z.union([
    Condition,
    z.strictObject({ all: z.array(Nested).min(1).max(MAX_MANY) }),
    z.strictObject({ any: z.array(Nested).min(1).max(MAX_MANY) }),
    z.strictObject({ not: Nested }),
  ]),
);

/** In the API's description the filters inside a filter are objects: it cannot show a form that contains itself. */
const Inner = z.looseObject({});

export const Filter = z
  .union([
    Condition,
    z.strictObject({ all: z.array(Inner).min(1).max(MAX_MANY) }),
    z.strictObject({ any: z.array(Inner).min(1).max(MAX_MANY) }),
    z.strictObject({ not: Inner }),
  ])
  .superRefine((given, context) => {
    const parsed = isTooDeep(given, 0) ? null : Nested.safeParse(given);
    if (parsed === null) context.addIssue({ code: "custom", message: `is nested deeper than ${MAX_DEPTH}` });
    else if (!parsed.success)
      context.addIssue({ code: "custom", message: "has something inside that is not a filter" });
  }) as unknown as z.ZodType<Filter>;

/** Before the form is read, which would go as deep as the value does. */
function isTooDeep(filter: unknown, depth: number): boolean {
  if (depth > MAX_DEPTH) return true;
  if (typeof filter !== "object" || filter === null) return false;
  const { all, any, not } = filter as { all?: unknown; any?: unknown; not?: unknown };
  return [all, any, [not]].flatMap((one) => (Array.isArray(one) ? one : [])).some((one) => isTooDeep(one, depth + 1));
}
