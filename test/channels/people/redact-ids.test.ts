// Ids of people where the operator hides them.
import { expect, it } from "vitest";
import { createIdRedaction } from "../../../core/channels/people/redact-ids.ts";

const open = (profile: string, isOn = true) => createIdRedaction({ profile, platform: "signal" }, isOn);

it("an id becomes a hash that is the same in one profile and another one elsewhere", () => {
  const hidden = open("p1").hideId("+4915112345678");
  expect(hidden).toMatch(/^user_[0-9a-f]{12}$/);
  expect(hidden).toBe(open("p1").hideId("+4915112345678"));
  expect(hidden).not.toBe(open("p2").hideId("+4915112345678"));
  expect(hidden).not.toBe(createIdRedaction({ profile: "p1", platform: "whatsapp" }, true).hideId("+4915112345678"));
});

it.each([
  ["Ada", false],
  ["+4915112345678", true],
  ["+49 151 123 456 78", true],
  ["call 4915112345678", true],
  ["Ada 2", false],
])("a name is shown unless it gives the id away: %j", (name, isHidden) => {
  const shown = open("p1").hideName({ id: "+4915112345678", name });
  expect(shown).toBe(isHidden ? open("p1").hideId("+4915112345678") : name);
});

it("nothing is hidden where it is off", () => {
  const { hideId, hideName } = open("p1", false);
  expect([hideId("1"), hideName({ id: "+4915112345678", name: "+4915112345678" })]).toEqual(["1", "+4915112345678"]);
});
