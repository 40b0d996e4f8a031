// The API of a profile's boards: /v1/boards. Forms only.
import * as z from "zod";
import { BoardName } from "./card.ts";

export const BoardInfo = z.object({
  name: BoardName,
  createdAt: z.int().meta({ description: "Milliseconds since 1970" }),
});
export type BoardInfo = z.infer<typeof BoardInfo>;

export const BoardInfoList = z.object({ boards: z.array(BoardInfo), next: z.string().optional() });
export type BoardInfoList = z.infer<typeof BoardInfoList>;
