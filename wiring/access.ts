// The operator's identity provider (TALARIA_ACCESS): whose tokens are accepted in place of keys, and which profile each person uses.
// Read by workers/api, and by the way out, which must reach the provider's keys.
import * as z from "zod";
import { type Result, err, ok } from "../core/errors.ts";
import { ProfileId } from "../core/schemas/ids.ts";
import { Scope } from "../core/schemas/keys/scope.ts";

export interface AccessEnv {
  TALARIA_ACCESS?: string;
}

const Person = z
  .strictObject({
    sub: z.string().min(1).optional(),
    email: z.email().optional(),
    domain: z
      .string()
      .regex(/^[a-z0-9.-]{1,253}$/i)
      .optional(),
    profile: ProfileId,
    scopes: z.array(Scope).min(1).default(["read", "write"]),
  })
  .refine(({ sub, email, domain }) => [sub, email, domain].filter((name) => name !== undefined).length === 1, {
    error: "needs exactly one of sub, email and domain",
  });
export type Person = z.infer<typeof Person>;

const address = z.url({ protocol: /^https?$/ });

/** `issuer`: such as `https://acme.cloudflareaccess.com`. `jwks`: where its keys are; by default where Cloudflare Access has them. */
const Access = z.strictObject({
  issuer: address,
  audience: z.union([z.string().min(1), z.array(z.string().min(1)).min(1).max(20)]),
  jwks: address.optional(),
  people: z.array(Person).min(1).max(10_000),
});

export interface AccessConfig {
  issuer: string;
  audience: string[];
  jwks: string;
  people: Person[];
}

let parsed: { json: string; config: Result<AccessConfig | null> } | null = null;

/** `null`: there is none. Failure: `bad_environment`. */
export function parseAccessEnv({ TALARIA_ACCESS }: AccessEnv): Result<AccessConfig | null> {
  const json = TALARIA_ACCESS?.trim() ?? "";
  if (parsed?.json !== json) parsed = { json, config: json === "" ? ok(null) : parse(json) };
  return parsed.config;
}

function parse(json: string): Result<AccessConfig> {
  let raw: unknown;
  try {
    raw = JSON.parse(json);
  } catch {
    return err("bad_environment", "TALARIA_ACCESS is not JSON. docs/GUIDE.md shows its form.");
  }
  const access = Access.safeParse(raw);
  if (!access.success) {
    const issue = access.error.issues[0];
    return err("bad_environment", `TALARIA_ACCESS: ${issue?.path.join(".") || "value"}: ${issue?.message}.`);
  }
  const { audience, people, jwks } = access.data;
  const issuer = access.data.issuer.replace(/\/$/, "");
  return ok({ issuer, audience: [audience].flat(), jwks: jwks ?? `${issuer}/cdn-cgi/access/certs`, people });
}
