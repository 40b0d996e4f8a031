// How a page's accessibility tree becomes text with refs.
import { expect, test } from "vitest";
import { toSnapshot } from "../../../../core/tools/web/browser/snapshot.ts";

const node = (nodeId: string, role: string, name: string, more: object = {}) => ({
  ...{ nodeId, role: { type: "role", value: role }, name: { type: "computedString", value: name } },
  ...{ parentId: "1", backendDOMNodeId: Number(nodeId) * 10 },
  ...more,
});

test("elements that can be used have refs, and text is not repeated", () => {
  const tree = [
    node("1", "RootWebArea", "Page", { parentId: undefined, childIds: ["2", "3", "4"] }),
    node("2", "heading", "Sign\n in", { properties: [{ name: "level", value: { value: 1 } }], childIds: ["5"] }),
    node("3", "textbox", "Name", {
      value: { value: "Ann" },
      properties: [{ name: "required", value: { value: true } }, { name: "labelledby" }],
    }),
    node("4", "generic", "", { ignored: true, childIds: ["6"] }),
    node("5", "StaticText", "Sign in"),
    node("6", "button", "Go"),
  ];
  const { text, refs, isCut } = toSnapshot(tree, 1_000);
  expect(text).toBe('- heading "Sign in" level=1\n- textbox "Name" value="Ann" required @e1\n- button "Go" @e2');
  expect([...refs]).toEqual([
    ["e1", 30],
    ["e2", 60],
  ]);
  expect(isCut).toBe(false);
});

test("a tree that contains itself, is deep, broken or empty ends", () => {
  const loop = [
    node("1", "RootWebArea", "", { parentId: undefined, childIds: ["2"] }),
    node("2", "link", "a", { childIds: ["1", "2"] }),
  ];
  expect(toSnapshot(loop, 1_000).text).toBe('- link "a" @e1');
  const deep = Array.from({ length: 10_000 }, (_, i) =>
    node(String(i + 1), "listitem", `x${i}`, { parentId: i === 0 ? undefined : String(i), childIds: [String(i + 2)] }),
  );
  const cut = toSnapshot(deep, 5_000);
  expect([cut.text.length, cut.isCut]).toEqual([5_000, true]);
  expect(toSnapshot([], 1_000).text).toBe("");
  expect(toSnapshot([null, 1, { nodeId: 2 }], 1_000).text).toBe("");
});
