// The settings of a profile: revisions, limits, and values from another version.
import { describe, expect, test } from "vitest";
import type { Sql } from "../../core/ports.ts";
import { createAccountSettings } from "../../durable-objects/account-settings.ts";
import { createNodeSql } from "../support/bindings/node-sql.ts";

function open() {
  const sql: Sql = createNodeSql();
  return { sql, settings: createAccountSettings(sql) };
}

describe("the settings of a profile", () => {
  test("cost no table until something is set", () => {
    const { sql, settings } = open();
    expect(settings.read()).toEqual({ rev: 0, sections: expect.objectContaining({ tools: {} }) });
    expect(settings.remove("tools", "all")).toBe(false);
    expect(sql.run("SELECT name FROM sqlite_master")).toEqual([]);
  });

  test("have a revision that rises at every change, and at nothing else", () => {
    const { settings } = open();
    settings.put("tools", "all", { disabled: ["web"] });
    expect(settings.read()).toMatchObject({ rev: 1, sections: { tools: { all: { disabled: ["web"] } } } });
    settings.put("tools", "all", { disabled: ["code"] });
    expect(settings.rev()).toBe(2);
    expect(settings.remove("tools", "other")).toBe(false);
    expect(settings.rev()).toBe(2);
    expect(settings.remove("tools", "all")).toBe(true);
    expect(settings.read()).toMatchObject({ rev: 3, sections: { tools: {} } });
  });

  test("leave out what this version does not understand", () => {
    const { sql, settings } = open();
    settings.put("tools", "all", { disabled: [] });
    sql.run("UPDATE profile_setting SET value = '{\"disabled\":7}' WHERE section = 'tools'");
    sql.run("INSERT INTO profile_setting VALUES ('later', 'k', '{}')");
    expect(settings.read().sections.tools).toEqual({});
  });

  test("are limited in number and size, and a replaced value is not one more", () => {
    const { settings } = open();
    const put = (key: string, text = "x") => settings.put("tools", key, { disabled: [text] });
    for (let n = 0; n < 100; n++) expect(put(`${n}`)).toMatchObject({ ok: true });
    expect(put("100")).toMatchObject({ failure: { code: "too_many_settings" } });
    expect(put("99")).toMatchObject({ ok: true });
    expect(put("99", "x".repeat(70_000))).toMatchObject({ failure: { code: "setting_too_large" } });
  });

  test("fit into one row of a session together", () => {
    const { settings } = open();
    const put = (name: string) => settings.put("personalities", name, { description: "", text: "界".repeat(8_000) });
    const stored = Array.from({ length: 100 }, (_, n) => put(`${n}`));
    expect(stored.filter(({ ok }) => ok).length).toBe(74);
    expect(stored.at(-1)).toMatchObject({ failure: { code: "setting_too_large" } });
    expect(put("0")).toMatchObject({ ok: true });
    expect(new TextEncoder().encode(JSON.stringify(settings.read())).length).toBeLessThan(2_000_000);
  });
});
