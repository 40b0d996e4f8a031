// A messaging platform as the API lists it: its form, its steps, and the channel where there is one.
import type { Answer } from "../data/api.ts";

export type Platform = Answer<"GET /v1/channels">["channels"][number];
