// Which turns the responses of a profile were: kept for a time and in number, forgotten one by one or with a session.
import { describe, expect, it } from "vitest";
import { DAY_MS } from "../../../core/schemas/ids.ts";
import type { StoredResponse } from "../../../core/schemas/stored-response.ts";
import { createResponseRows } from "../../../durable-objects/responses/response-rows.ts";
import { toPredecessor } from "../../../workers/api/doors/responses/answer-response.ts";
import { createNodeSql } from "../../support/bindings/node-sql.ts";

const id = (n: number) => `resp_${String(n).padStart(32, "0")}`;
const response = (n: number, at = n): StoredResponse => ({
  ...{ id: id(n), session: `S${n % 2}`, turn: n, first: "3.0", at },
  echo: { v: 1, model: "talaria", isStored: true, metadata: { a: "b" } },
});

describe("stored responses", () => {
  it("are found by their id until they are removed, and make no table before", () => {
    const rows = createResponseRows(createNodeSql());
    expect([rows.find(id(1), 5), rows.remove(id(1))]).toEqual([null, false]);
    rows.put(response(1));
    rows.put(response(1));
    expect(rows.find(id(1), 5)).toEqual(response(1));
    expect([rows.remove(id(1)), rows.remove(id(1)), rows.find(id(1), 5)]).toEqual([true, false, null]);
  });

  it("die with their session, after thirty days, and when there are too many", () => {
    const sql = createNodeSql();
    const rows = createResponseRows(sql);
    for (let n = 1; n <= 6; n++) rows.put(response(n), 4);
    expect(rows.find(id(2), 9)).toBeNull();
    expect(rows.find(id(3), 9)).not.toBeNull();
    rows.forgetSession("S1");
    expect([rows.find(id(3), 9), rows.find(id(4), 9) !== null]).toEqual([null, true]);
    expect(rows.find(id(4), 4 + 30 * DAY_MS)).toBeNull();
    rows.tidy(40 * DAY_MS);
    expect(sql.run("SELECT id FROM response")).toEqual([]);
  });

  it("are replayed from right before their first event", () => {
    expect(["7.12", "7.0", "1.0"].map(toPredecessor)).toEqual(["7.11", "6.999999999999999", "0.999999999999999"]);
  });
});
