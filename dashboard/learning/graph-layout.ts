// Where the nodes and edges of the graph are drawn: work at the left, skills at the right, and arcs between skills that were used together.
// Always the same for the same graph. Pure.
import type { Answer } from "../data/api.ts";

export type GraphData = Answer<"GET /v1/learning/graph">;

export const ROW_PX = 30;
export const WIDTH_PX = 960;
/** Dots of work and of skills. */
export const COLUMNS_PX = { work: 310, skill: 500 };
/** Longer names are cut. */
export const NAME_CHARS = 44;
/** A little more than the widest letters of most fonts take. */
const CHAR_PX = 7.4;

export interface Layout {
  height: number;
  /** Where the arcs begin: after the longest name. */
  arcX: number;
  work: { session: string; y: number }[];
  skills: { name: string; y: number }[];
}

/** Rounds of moving each node to the mean place of its neighbours, which untangles most edges. */
const ROUNDS = 4;

export function layOut({ skills, work, from }: Pick<GraphData, "skills" | "work" | "from">): Layout {
  let skillOrder = skills.map(({ name }) => name);
  let workOrder = work.map(({ session }) => session);
  for (let round = 0; round < ROUNDS; round++) {
    workOrder = orderByMean(workOrder, (session) =>
      from.filter((one) => one.session === session).map(({ skill }) => skillOrder.indexOf(skill)),
    );
    skillOrder = orderByMean(skillOrder, (name) =>
      from.filter((one) => one.skill === name).map(({ session }) => workOrder.indexOf(session)),
    );
  }
  const rows = Math.max(skillOrder.length, workOrder.length, 1);
  const place = (i: number, count: number) => Math.round(((i + 0.5) * rows * ROW_PX) / count);
  return {
    height: rows * ROW_PX,
    arcX:
      COLUMNS_PX.skill +
      28 +
      Math.round(CHAR_PX * Math.min(NAME_CHARS, Math.max(0, ...skillOrder.map((name) => name.length)))),
    work: workOrder.map((session, i) => ({ session, y: place(i, workOrder.length) })),
    skills: skillOrder.map((name, i) => ({ name, y: place(i, skillOrder.length) })),
  };
}

/** Nodes without neighbours follow the others. Equal ones keep their order. */
function orderByMean(nodes: string[], placesOf: (node: string) => number[]): string[] {
  const means = new Map(
    nodes.map((node) => {
      const places = placesOf(node).filter((place) => place >= 0);
      return [node, places.length === 0 ? Infinity : places.reduce((sum, place) => sum + place, 0) / places.length];
    }),
  );
  return nodes.toSorted((a, b) => {
    const [x, y] = [means.get(a)!, means.get(b)!];
    return x === y ? 0 : x - y;
  });
}

/** From work to a skill. */
export function edgePath(from: number, to: number): string {
  const { work, skill } = COLUMNS_PX;
  const middle = (work + skill) / 2;
  return `M${work + 8} ${from}C${middle} ${from} ${middle} ${to} ${skill - 8} ${to}`;
}

/** Between two skills: the farther apart, the wider. */
export function arcPath(x: number, a: number, b: number): string {
  const reach = x + 20 + Math.min(100, Math.abs(b - a) * 0.4);
  return `M${x} ${a}C${reach} ${a} ${reach} ${b} ${x} ${b}`;
}

/** 1 for a single one; grows slowly. */
export function strokeWidth(count: number): number {
  return Math.min(6, 1 + Math.log2(Math.max(1, count)));
}

/** What a node is connected with. */
export function neighboursOf(graph: GraphData, name: string) {
  return {
    sessions: graph.from.filter(({ skill }) => skill === name).map(({ session }) => session),
    together: graph.together
      .filter(({ a, b }) => a === name || b === name)
      .map(({ a, b, turns, last }) => ({ name: a === name ? b : a, turns, last })),
  };
}
