// The slots of a blueprint between its form and a request: what a control may hold, and what is sent. Pure.
import type { Answer } from "../data/api.ts";

export type Blueprint = Answer<"GET /v1/blueprints">["blueprints"][number];
export type Slot = Blueprint["slots"][number];
export type SlotTexts = Record<string, string>;

/** What the form's schema says of one slot, as far as a control can hold it. */
export interface SlotLimits {
  min?: number;
  max?: number;
  maxLength?: number;
}

export function readLimits({ form }: Blueprint, name: string): SlotLimits {
  const properties = (form.properties ?? {}) as Record<string, Record<string, unknown> | undefined>;
  const { minimum, maximum, maxLength } = properties[name] ?? {};
  return {
    ...(typeof minimum === "number" && { min: minimum }),
    ...(typeof maximum === "number" && { max: maximum }),
    ...(typeof maxLength === "number" && { maxLength }),
  };
}

/** `given`: of a suggestion. `zone`: the reader's, which is more often right than the blueprint's UTC. */
export function toTexts({ slots }: Blueprint, given: Record<string, string | number>, zone: string): SlotTexts {
  return Object.fromEntries(
    slots.map(({ name, type, default: usual }) => {
      const value = given[name] ?? (type === "timeZone" ? zone : usual);
      return [name, value === undefined ? "" : String(value)];
    }),
  );
}

/** An empty slot is left out: it is optional, or the server says what it needs. */
export function toSlots({ slots }: Blueprint, texts: SlotTexts): Record<string, string | number> {
  return Object.fromEntries(
    slots.flatMap(({ name, type }) => {
      const text = (texts[name] ?? "").trim();
      if (text === "") return [];
      return [[name, type === "number" && Number.isFinite(Number(text)) ? Number(text) : text]];
    }),
  );
}
