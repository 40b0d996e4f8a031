// The journey by day, and what each event is about. Pure.
import { hrefOf, hrefOfTurn } from "../pages.ts";
import type { JourneyEvent } from "./words.ts";

export interface JourneyDay {
  /** Its first event's time, in ms. */
  at: number;
  events: JourneyEvent[];
}

/** Days of the reader's zone, in the order of the events. `dayOf` names the day of a time. */
export function groupByDay(events: JourneyEvent[], dayOf: (at: number) => string): JourneyDay[] {
  return [...Map.groupBy(events, ({ at }) => dayOf(at)).values()].map((ofDay) => ({ at: ofDay[0]!.at, events: ofDay }));
}

/** The pages that an event leads to: name and address. */
export function linksOf(event: JourneyEvent): { name: string; href: string }[] {
  const { session, turn, review, run, pending, about } = event;
  const links: { name: string; href: string }[] = [];
  if (review !== undefined) links.push({ name: "The review", href: hrefOf("learning", "reviews", review) });
  if (run !== undefined) links.push({ name: "The run", href: hrefOf("learning", "curator", run) });
  if (pending !== undefined) links.push({ name: "The change", href: hrefOf("learning", "pending", pending) });
  if (turn !== undefined) links.push({ name: "The turn", href: hrefOfTurn(turn) });
  else if (session !== undefined) links.push({ name: "The conversation", href: hrefOf("chat", session) });
  if (about === "fact") links.push({ name: "Memory", href: hrefOf("memory") });
  return links;
}
