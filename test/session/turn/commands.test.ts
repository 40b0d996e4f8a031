import { expect, it } from "vitest";
import { parseCommand } from "../../../core/session/turn/commands.ts";

it.each([
  ["/compress", { name: "compress", focus: "" }],
  ["  /compress the migration \n", { name: "compress", focus: "the migration" }],
  ["/refresh", { name: "refresh" }],
  ["/refresh everything", null],
  ["/compressor", null],
  ["/refine", { name: "refine", focus: "" }],
  ["/refine how the table was read", { name: "refine", focus: "how the table was read" }],
  ["/refined", null],
  ["/pending", { name: "pending" }],
  ["/pending work is what I have", null],
  ["/approve 0a1b", { name: "approve", id: "0a1b" }],
  ["/reject", { name: "reject", id: "" }],
  ["/approve everything", { name: "approve", id: "everything" }],
  ["/approve of this plan", null],
  ["please /compress", null],
  ["/learn this", null],
  ["", null],
])("%j is read as %j", (text, command) => {
  expect(parseCommand(text)).toEqual(command);
});
