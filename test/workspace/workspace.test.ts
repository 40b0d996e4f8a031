// The workspace over node:sqlite, and its invariants after any sequence of changes.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Sql } from "../../core/ports.ts";
import { createWorkspace, migrateWorkspace } from "../../core/workspace/workspace.ts";
import { describeWorkspace } from "../conformance/workspace.ts";
import { createTestClock } from "../support/clock.ts";
import { createNodeSql } from "../support/bindings/node-sql.ts";
import { runs } from "../support/thorough.ts";

async function withNodeSql(work: (sql: Sql) => Promise<void>): Promise<void> {
  const sql = createNodeSql();
  try {
    await work(sql);
  } finally {
    sql.close();
  }
}

describe("a workspace over node:sqlite", () => {
  describeWorkspace(withNodeSql);
});

const path = fc
  .array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 3 })
  .map((names) => `/${names.join("/")}`);
const size = fc.constantFrom(0, 1, 40, 90);
const change = fc.oneof(
  fc.record({ do: fc.constant("writeFile" as const), path, size }),
  fc.record({ do: fc.constant("appendFile" as const), path, size }),
  fc.record({ do: fc.constant("mkdir" as const), path, recursive: fc.boolean() }),
  fc.record({ do: fc.constant("rm" as const), path, recursive: fc.boolean() }),
  fc.record({ do: fc.constant("cp" as const), path, to: path, recursive: fc.boolean() }),
  fc.record({ do: fc.constant("mv" as const), path, to: path }),
  fc.record({ do: fc.constant("symlink" as const), path, to: path }),
);
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

test("after any changes, including refused ones, nothing is orphaned and the used space is correct", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 25 }), (changes) =>
      withNodeSql(async (sql) => {
        migrateWorkspace(sql);
        const options = { sql, clock: createTestClock(), maxFileBytes: 100, maxBytes: 300 };
        const workspace = createWorkspace(options);
        for (const each of changes) {
          await apply(workspace, each).catch((error: Error) => expect(error.message).toMatch(/^E[A-Z]+: /));
        }
        expectSound(sql);
        for (const file of workspace.list()) expect(workspace.read(file.path)?.length).toBe(file.size);
        // The running count equals the sum that a new workspace computes over the same files.
        let refused = workspace.putAsPrincipal("fill/0", new Uint8Array(60));
        for (let i = 1; refused.ok; i++) refused = workspace.putAsPrincipal(`fill/${i}`, new Uint8Array(60));
        expect(createWorkspace(options).putAsPrincipal("fill/new", new Uint8Array(60))).toMatchObject({
          ok: false,
          failure: { message: expect.stringContaining(/\d+ of 300/.exec(refused.failure.message)?.[0] ?? "nowhere") },
        });
      }),
    ),
    { numRuns: runs(200) },
  );
});

async function apply(workspace: ReturnType<typeof createWorkspace>, each: Change): Promise<void> {
  switch (each.do) {
    case "writeFile":
    case "appendFile":
      return workspace[each.do](each.path, new Uint8Array(each.size));
    case "mkdir":
    case "rm":
      return workspace[each.do](each.path, { recursive: each.recursive });
    case "cp":
      return workspace.cp(each.path, each.to, { recursive: each.recursive });
    case "mv":
      return workspace.mv(each.path, each.to);
    case "symlink":
      return workspace.symlink(`/work${each.to}`, each.path);
  }
}

function expectSound(sql: Sql): void {
  const whole = "CASE parent WHEN '/' THEN '/' ELSE parent || '/' END || name";
  const lost = sql.run(
    `SELECT * FROM file_node WHERE parent <> '/' AND parent NOT IN (SELECT ${whole} FROM file_node WHERE kind = 'folder')`,
  );
  const named = sql
    .run<{ content: string }>("SELECT content FROM file_node WHERE content <> ''")
    .flatMap(({ content }) => content.split(" ").map((part) => part.split(":")[1]));
  const stored = sql.run<{ hash: string }>("SELECT hash FROM file_part").map(({ hash }) => hash);
  const strays = stored.filter((hash) => !named.includes(hash));
  expect({ lost, strays }).toEqual({ lost: [], strays: [] });
}
