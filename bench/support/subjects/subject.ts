// The interface of a bench's subjects. Each conversation runs one turn at a time; a turn is an order for the scripted model.
import type { Order } from "../orders.ts";
import type { MeterReading } from "./ours.ts";

export interface TurnTiming {
  /** When the message was sent, in milliseconds since 1970 with decimals. */
  sentAt: number;
  /** From sending the message to the first text of the answer at the client. */
  firstMs: number;
  /** From sending the message to the end of the turn. */
  totalMs: number;
}

export interface Conversation {
  turn(order: Order): Promise<TurnTiming>;
  meter(): Promise<MeterReading>;
  close(): Promise<void>;
}

export interface Subject {
  name: "ours" | "peer" | "bare";
  open(): Promise<Conversation>;
}
