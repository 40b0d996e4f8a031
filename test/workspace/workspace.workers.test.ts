// The workspace over the SQLite of a real Durable Object, inside workerd.
import { describe } from "vitest";
import { describeWorkspace } from "../conformance/workspace.ts";
import { withDurableSql } from "../support/bindings/durable-sql.ts";

describe("a workspace over a Durable Object's SQLite", () => {
  describeWorkspace(withDurableSql);
});
