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

export const Filter = Nested.refine((filter) => depthOf(filter) <= MAX_DEPTH, `is nested deeper than ${MAX_DEPTH}`);

function depthOf(filter: Filter): number {
  if ("not" in filter) return 1 + depthOf(filter.not);
  if ("all" in filter) return 1 + Math.max(...filter.all.map(depthOf));
  if ("any" in filter) return 1 + Math.max(...filter.any.map(depthOf));
  return 1;
}
