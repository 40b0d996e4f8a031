import { describe, expect, it } from "vitest";
import { type Footprint, planCalls } from "../../core/agent/call-plan.ts";

const reads = (...paths: string[]): Footprint => ({ reads: paths, writes: [] });
const writes = (...paths: string[]): Footprint => ({ reads: [], writes: paths });
const look = reads();

describe("the plan of an answer's calls", () => {
  it.each<[string, Footprint[], number[][]]>([
    ["no calls give no segments", [], []],
    ["readers share a segment", [look, look, look], [[0, 1, 2]]],
    ["readers of one path share a segment", [reads("a"), reads("a")], [[0, 1]]],
    ["writers of different paths share a segment", [writes("a"), writes("b"), writes("ab")], [[0, 1, 2]]],
    ["writers of one path run one after the other", [writes("a"), writes("a")], [[0], [1]]],
    ["a reader waits for the writer of its path", [writes("a"), reads("a")], [[0], [1]]],
    ["a writer waits for the reader of its path", [reads("a"), writes("a")], [[0], [1]]],
    ["a folder contains the files in it", [reads("data"), writes("data/x.csv")], [[0], [1]]],
    ["a file in a folder touches the folder", [writes("data/x.csv"), reads("data/")], [[0], [1]]],
    ["the root, written as an empty path, contains everything", [reads(""), writes("x")], [[0], [1]]],
    ["the root, written as a slash, contains everything", [writes("/x"), reads("/")], [[0], [1]]],
    ["a name with the same beginning is another path", [writes("data"), writes("data.csv")], [[0, 1]]],
    ["a call that must run alone is a barrier", [look, null, look, look], [[0], [1], [2, 3]]],
    ["two barriers are separate segments", [null, null], [[0], [1]]],
    ["no call is moved before an earlier one", [writes("a"), writes("a"), writes("b")], [[0], [1, 2]]],
    [
      "a call that touches any path of a segment begins the next",
      [writes("a"), writes("b"), reads("a")],
      [[0, 1], [2]],
    ],
  ])("%s", (_title, footprints, plan) => {
    expect(planCalls(footprints)).toEqual(plan);
  });
});
