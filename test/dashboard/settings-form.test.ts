// The form of the profile's settings, from what the API says of each.
import { describe, expect, it } from "vitest";
import {
  type Info,
  type Settings,
  controlOf,
  describeAllowed,
  describeValue,
  errorsOf,
  groupSettings,
  isChanged,
  labelOf,
  shownOf,
  toChanges,
} from "../../dashboard/settings/settings-form.ts";

const info = (operator: Info["operator"], allowed: Info["allowed"], own: Info["own"] = null): Info => ({
  value: own ?? operator,
  operator,
  own,
  allowed,
  about: "",
});
const SETTINGS: Settings = {
  model: info("m:a", { oneOf: ["m:a", "m:b"] }),
  "turn.titles": info(true, { oneOf: [true, false] }, false),
  "turn.maxSteps": info(500, { min: 1, max: 500 }),
  "turn.approvalMs": info(3_600_000, { min: 1_000, max: 3_600_000 }),
  "budget.profileDayUsd": info(0, { min: 0, zero: "no limit" }, 5),
  "review.without": info(["rating"], { oneOf: ["rating", "value"], always: ["rating"] }),
  "later.setting": info("x", { oneOf: ["x"] }),
};

describe("the form", () => {
  it("has groups in order, and a setting that it does not know under its own name", () => {
    expect(groupSettings(SETTINGS)).toEqual([
      { group: "Conversations", names: ["model", "turn.titles"] },
      { group: "Limits of a turn", names: ["turn.maxSteps", "turn.approvalMs"] },
      { group: "Budgets", names: ["budget.profileDayUsd"] },
      { group: "Learning", names: ["review.without"] },
      { group: "Other", names: ["later.setting"] },
    ]);
    expect([labelOf("model"), labelOf("later.setting")]).toEqual(["Model", "later.setting"]);
  });

  it("takes the control from the allowed values", () => {
    const controls = Object.values(SETTINGS).map(controlOf);
    expect(controls).toEqual(["choice", "switch", "number", "number", "number", "list", "choice"]);
  });

  it("shows the person's own value, else the default, in the unit of the form", () => {
    const shown = Object.entries(SETTINGS).map(([name, one]) => shownOf(name, one, undefined));
    expect(shown).toEqual(["", false, "500", "3600", "5", ["rating"], ""]);
    expect(shownOf("turn.titles", SETTINGS["turn.titles"]!, null)).toBe(true);
  });

  it("says what is allowed and what a value is", () => {
    expect(describeAllowed("turn.approvalMs", SETTINGS["turn.approvalMs"]!)).toBe("1 to 3,600");
    expect(describeAllowed("budget.profileDayUsd", SETTINGS["budget.profileDayUsd"]!)).toBe(
      "at least 0, where 0 is no limit",
    );
    expect(describeAllowed("x", info(10, { min: 10 }))).toBe("at least 10");
    expect(describeValue("turn.approvalMs", 90_000)).toBe("90 seconds");
    expect([describeValue("x", true), describeValue("x", null), describeValue("x", [])]).toEqual([
      "on",
      "not set",
      "none",
    ]);
  });

  it("knows what is changed, also back to the default", () => {
    expect(isChanged("turn.maxSteps", SETTINGS["turn.maxSteps"]!, "500")).toBe(false);
    expect(isChanged("turn.maxSteps", SETTINGS["turn.maxSteps"]!, null)).toBe(false);
    expect(isChanged("turn.titles", SETTINGS["turn.titles"]!, null)).toBe(true);
    expect(isChanged("review.without", SETTINGS["review.without"]!, ["rating"])).toBe(false);
  });

  it("sends what was changed in the server's unit, and null for the default", () => {
    const drafts = {
      ...{ model: "m:b", "turn.titles": null, "turn.maxSteps": "500", "turn.approvalMs": "60" },
      ...{ "budget.profileDayUsd": "0", "review.without": ["rating", "value"], gone: "x" },
    };
    expect(toChanges(SETTINGS, drafts)).toEqual({
      changes: {
        ...{ model: "m:b", "turn.titles": null, "turn.approvalMs": 60_000 },
        ...{ "budget.profileDayUsd": 0, "review.without": ["value"] },
      },
      errors: {},
    });
  });

  it("says at the field what is no number or outside its range", () => {
    const drafts = { "turn.maxSteps": "900", "turn.approvalMs": "soon", "budget.profileDayUsd": "-1" };
    expect(toChanges(SETTINGS, drafts)).toEqual({
      changes: {},
      errors: {
        "turn.maxSteps": "Enter 1 to 500.",
        "turn.approvalMs": "Enter a number.",
        "budget.profileDayUsd": "Enter at least 0, where 0 is no limit.",
      },
    });
  });

  it("puts a refusal of the server at its field", () => {
    const problem = { status: 422, title: "", detail: "Too much.", code: "setting_too_wide" };
    expect(errorsOf({ ...problem, name: "turn.maxSteps" } as never, ["turn.maxSteps"])).toEqual({
      "turn.maxSteps": "Too much.",
    });
    expect(errorsOf({ ...problem, code: "unknown_model" }, ["model"])).toEqual({ model: "Too much." });
    const errors = [{ in: "json", path: "turn.maxSteps", message: "expected int" }];
    expect(errorsOf({ ...problem, errors } as never, ["turn.maxSteps"])).toEqual({ "turn.maxSteps": "expected int" });
    expect(errorsOf({ ...problem, code: "busy" }, ["model"])).toEqual({});
  });
});
