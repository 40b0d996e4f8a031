// Operation ids as writers make them, and what the journey reads from them.
import { expect, it } from "vitest";
import { readOp } from "../../core/learning/journey/read-op.ts";

const SESSION = "01ARZ3NDEKTSV4RRFFQ69G5FAA";
const RUN = "20260105T090000Z-aaaa";

it.each([
  ["api:01J", { by: "person" }],
  [`import:${"a".repeat(64)}`, { by: "person" }],
  [`verdict:${SESSION}-3.rating.2`, { by: "evidence", turn: `${SESSION}-3`, session: SESSION }],
  [`experiment:${SESSION}`, { by: "experiment", experiment: SESSION }],
  [`curation:${RUN}:tables`, { by: "curator", run: RUN, work: "verdict" }],
  [`curation:${RUN}:3:tables`, { by: "curator", run: RUN, work: "undo" }],
  [`curation:${RUN}:consolidate:0`, { by: "curator", run: RUN, work: "merge" }],
  [`curation:${"0".repeat(26)}:${RUN}.rewrite.tables.0002`, { by: "curator", run: RUN, work: "other" }],
  [`curation:${"0".repeat(26)}:${RUN}.consolidate.0002`, { by: "curator", run: RUN, work: "merge" }],
  [`${SESSION}.1-8.0003`, { by: "review", review: `${SESSION}.1-8`, session: SESSION }],
  [`${SESSION}-2:14`, { by: "agent", turn: `${SESSION}-2`, session: SESSION }],
  ["~deadbeef", { by: null }],
  ["make tables", { by: null }],
])("%s", (op, read) => {
  expect(readOp(op)).toEqual(read);
});
