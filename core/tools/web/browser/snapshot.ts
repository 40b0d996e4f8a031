// Renders a page's accessibility tree as indented text, with a ref (`@e12`) for each element that can be used. Used by browser-page.ts.
// Pure. The tree is the browser's answer to Accessibility.getFullAXTree.
import * as z from "zod";
import { clip, toOneLine } from "../../../clip.ts";

const Value = z.object({ value: z.unknown().optional() }).optional();
const Node = z.object({
  nodeId: z.string(),
  ignored: z.boolean().optional(),
  role: Value,
  name: Value,
  value: Value,
  properties: z.array(z.object({ name: z.string(), value: Value })).optional(),
  childIds: z.array(z.string()).optional(),
  parentId: z.string().optional(),
  backendDOMNodeId: z.number().optional(),
});
type Node = z.infer<typeof Node>;

export interface Snapshot {
  text: string;
  /** Backend node ids by ref, without `@`. */
  refs: Map<string, number>;
  isCut: boolean;
}

const USABLE = new Set([
  ...[
    "button",
    "link",
    "textbox",
    "searchbox",
    "checkbox",
    "radio",
    "combobox",
    "listbox",
    "option",
    "menuitem",
    "tab",
  ],
  ...["switch", "slider", "spinbutton", "menuitemcheckbox", "menuitemradio", "treeitem"],
]);
/** Structure without words of its own: its children are shown in its place. */
const PLAIN = new Set([
  "none",
  "generic",
  "presentation",
  "RootWebArea",
  "InlineTextBox",
  "LineBreak",
  "GenericContainer",
]);
const STATES = new Set(["checked", "disabled", "expanded", "selected", "required", "level"]);
const MAX_NODES = 5_000;
const MAX_DEPTH = 20;
const MAX_NAME_CHARS = 300;

export function toSnapshot(nodes: unknown[], maxChars: number): Snapshot {
  const read = nodes.flatMap((node) => Node.safeParse(node).data ?? []);
  const byId = new Map(read.map((node) => [node.nodeId, node]));
  const root = read.find(({ parentId }) => parentId === undefined);
  const refs = new Map<string, number>();
  const lines: string[] = [];
  let chars = 0;
  // Not recursive: a page may nest as deeply as it likes. `said`: the name of the element around.
  const open: { node: Node; depth: number; said: string }[] = root ? [{ node: root, depth: 0, said: "" }] : [];
  for (let seen = 0; open.length > 0 && seen < MAX_NODES && chars <= maxChars; seen++) {
    const { node, depth, said } = open.pop()!;
    const role = String(node.role?.value ?? "");
    const name = clip(toOneLine(String(node.name?.value ?? "")), MAX_NAME_CHARS);
    const isUsable = USABLE.has(role) && node.backendDOMNodeId !== undefined;
    const isShown = !node.ignored && !PLAIN.has(role) && (isUsable || (name !== "" && name !== said));
    if (isShown) {
      const ref = isUsable ? `e${refs.size + 1}` : null;
      if (ref !== null) refs.set(ref, node.backendDOMNodeId!);
      const line = `${"  ".repeat(Math.min(depth, MAX_DEPTH))}${toLine(node, role, name, ref)}`;
      lines.push(line);
      chars += line.length + 1;
    }
    for (const id of (node.childIds ?? []).toReversed()) {
      const child = byId.get(id);
      byId.delete(id); // a tree that contains itself is shown once
      if (child) open.push({ node: child, depth: depth + (isShown ? 1 : 0), said: isShown ? name : said });
    }
  }
  const text = lines.join("\n");
  return { text: text.slice(0, maxChars).toWellFormed(), refs, isCut: open.length > 0 || text.length > maxChars };
}

function toLine(node: Node, role: string, name: string, ref: string | null): string {
  if (role === "StaticText") return name;
  const states = (node.properties ?? [])
    .filter(({ name: key, value }) => STATES.has(key) && value?.value !== false && value?.value !== "false")
    .map(({ name: key, value }) => (value?.value === true || value?.value === "true" ? key : `${key}=${value?.value}`));
  const value = clip(toOneLine(String(node.value?.value ?? "")), MAX_NAME_CHARS);
  return [
    `- ${role}`,
    name && JSON.stringify(name),
    value && `value=${JSON.stringify(value)}`,
    ...states,
    ref && `@${ref}`,
  ]
    .filter(Boolean)
    .join(" ");
}
