// Names in a channel's options that the deployment must know.
import { expect, it } from "vitest";
import { findUnknownNames } from "../../durable-objects/channels/check-options.ts";
import { ChannelOptions } from "../../core/schemas/channels/options.ts";

const options = (input: object) => ChannelOptions.parse(input);

it("leaves a name that was stored before, also if the operator has removed the model meanwhile", () => {
  const known = options({ model: "old", chats: { "7": { model: "old", tools: { only: ["gone"] } } } });
  expect(findUnknownNames(options({ ...known, owners: ["7"] }), known, ["new"])).toEqual([]);
  const moved = findUnknownNames(options({ chats: { "8": { model: "old" } } }), known, ["new"]);
  expect(moved.map(({ path }) => path)).toEqual([["chats", "8", "model"]]);
});

it("says that there is no model where the deployment has none to choose", () => {
  const [issue] = findUnknownNames(options({ model: "constructor" }), options({}), []);
  expect(issue?.message).toBe("There is no such model to choose. There are: none");
});
