// Bindings limit what learning can reach. This test reads the three configurations as wrangler does.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { unstable_readConfig } from "wrangler";

/** Configuration fields that bind nothing. Every other field that is set counts as a binding. */
const NOT_BINDINGS = new Set(
  (
    "name main compatibility_date compatibility_flags send_metrics limits rules dev triggers exports configPath userConfigPath " +
    "topLevelName definedEnvironments targetEnvironment jsx_factory jsx_fragment find_additional_modules preserve_file_names " +
    "legacy_env no_bundle minify keep_names upload_source_maps logpush observability placement workers_dev preview_urls routes " +
    "route build define migrations tsconfig base_dir cloudchamber dependencies_instrumentation python_modules first_party_worker " +
    "keep_vars alias account_id pages_build_output_dir cache env unsafe_hello_world"
  ).split(" "),
);

function bindingsOf(worker: string): string[] {
  const config = unstable_readConfig({ config: join(import.meta.dirname, "../..", worker) }, { hideWarnings: true });
  return Object.entries(config)
    .filter(([field, value]) => !NOT_BINDINGS.has(field) && !isEmpty(value))
    .flatMap(([field, value]) => describeField(field, value))
    .sort();
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return true;
  return typeof value === "object" && Object.values(value).every((item) => isEmpty(item));
}

function describeField(field: string, value: unknown): string[] {
  const isOne = Array.isArray(value) || typeof (value as { binding?: unknown }).binding === "string";
  const groups = isOne ? { "": value } : (value as Record<string, unknown>);
  return Object.entries(groups).flatMap(([group, items]) =>
    (Array.isArray(items) ? items : [items]).map((item: Record<string, unknown>) => {
      const name = item?.binding ?? item?.name ?? item?.queue ?? "(set)";
      return `${[field, group].filter(Boolean).join(".")} ${String(name)}`;
    }),
  );
}

describe("the bindings", () => {
  it("of the review Worker are skills, memory and its queues, and nothing else", () => {
    expect(bindingsOf("workers/review/wrangler.toml")).toEqual([
      "kv_namespaces MEMORY",
      "queues.consumers talaria-reviews",
      "queues.consumers talaria-reviews-dead",
      "r2_buckets SKILLS",
    ]);
  });

  it("of the curator Worker are skills and its queue", () => {
    expect(bindingsOf("workers/curator/wrangler.toml")).toEqual([
      "queues.consumers talaria-curation",
      "queues.producers CURATION",
      "r2_buckets SKILLS",
    ]);
  });

  it("of the api Worker are the objects, the stores, the producers of both queues and the files of its page", () => {
    expect(bindingsOf("wrangler.toml")).toEqual([
      "assets ASSETS",
      "durable_objects.bindings ACCOUNT",
      "durable_objects.bindings AGENDA",
      "durable_objects.bindings ARCHIVE",
      "durable_objects.bindings BOARD",
      "durable_objects.bindings CHANNELS",
      "durable_objects.bindings DISCORD_SOCKET",
      "durable_objects.bindings EXPERIMENTS",
      "durable_objects.bindings REPLAY",
      "durable_objects.bindings SESSION",
      "durable_objects.bindings WEBHOOKS",
      "kv_namespaces MEMORY",
      "queues.producers CURATION",
      "queues.producers REVIEWS",
      "r2_buckets SKILLS",
    ]);
  });

  it("include a newly added binding of an unknown kind", () => {
    expect(bindingsOf("test/review/fixtures/too-much.toml")).toEqual([
      "ai AI",
      "durable_objects.bindings SESSION",
      "kv_namespaces MEMORY",
      "r2_buckets SKILLS",
      "services API",
    ]);
  });
});
