// The types of slots: for each its schema, and how a value reads in a prompt and in a schedule. Pure.
import * as z from "zod";
import { isTimeZone } from "../jobs/time-zone.ts";
import { escapeTagsInJson } from "../prompt-block.ts";
import type { SlotInfo } from "../schemas/agenda/blueprint.ts";
import { PLATFORM_NAMES } from "../schemas/channels/inbound.ts";
import { WebhookTarget } from "../schemas/webhooks/webhook.ts";
import type { Slot } from "./blueprint.ts";

const WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;
const DAY = `(?:${WEEKDAYS.join("|")})`;
const DAYS = new RegExp(`^(?:every day|weekdays|weekends|${DAY}(?:(?:,| and |, )${DAY}){0,6})$`);
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d$/;
const DELIVER = new RegExp(`^(?:none|home(?::(?:${PLATFORM_NAMES.join("|")}))?|hooks|chat:[^\\s]{1,100})$`);

/** Refusals say what to write. */
export function toSlotSchema(slot: Slot): z.ZodType {
  const schema = toValueSchema(slot).meta({ title: slot.name, description: slot.ask });
  if (slot.default !== undefined) return schema.default(slot.default);
  return slot.optional ? schema.optional() : schema;
}

function toValueSchema(slot: Slot): z.ZodType {
  switch (slot.type) {
    case "text":
      return z.string("a text is missing").trim().min(1, "it is empty").max(slot.maxChars);
    case "time":
      return z.string("a time such as 07:30").regex(TIME, "a time such as 07:30");
    case "weekday":
      return z.enum(WEEKDAYS, `one of ${WEEKDAYS.join(", ")}`);
    case "days": {
      const help = "`weekdays`, `weekends`, `every day`, or days such as `monday and thursday`";
      return z.string(help).regex(DAYS, help);
    }
    case "timeZone": {
      const help = "a time zone of the IANA database, such as Europe/Berlin";
      return z.string(help).max(64).refine(isTimeZone, help);
    }
    case "url":
      return z.url({ protocol: /^https?$/, error: "an address that begins with https:// or http://" }).max(2_000);
    case "deliver": {
      const help = "`none`, `home`, `home:` and a platform, `chat:` and its id, or `hooks`";
      return z.string(help).regex(DELIVER, help);
    }
    case "number":
      return z.int(`a whole number from ${slot.min} to ${slot.max}`).min(slot.min).max(slot.max);
    case "choice":
      return z.enum(slot.options, `one of ${slot.options.join(", ")}`);
  }
}

/** Free text and addresses are JSON strings, so that a prompt shows where they end. They open no block. */
export function showInPrompt({ type }: Slot, value: string | number): string {
  if (type === "text") return escapeTagsInJson(JSON.stringify(value));
  return type === "url" ? escapeTagsInJson(JSON.stringify(toAddress(String(value)))) : showInSchedule({ type }, value);
}

/** Never free text. */
export function showInSchedule({ type }: Pick<Slot, "type">, value: string | number): string {
  const text = String(value);
  if (type !== "days") return text;
  if (text === "weekdays" || text === "weekends") return `every ${text.slice(0, -1)}`;
  return text === "every day" ? text : `every ${text.split(/, | and |,/).join(" and ")}`;
}

export function toAddress(url: string): string {
  return new URL(url).href;
}

/** `null`: the answer stays with the run. */
export function toTarget(deliver: string): WebhookTarget | null {
  const colon = deliver.indexOf(":");
  const [to, of] = colon < 0 ? [deliver, undefined] : [deliver.slice(0, colon), deliver.slice(colon + 1)];
  if (to === "none") return null;
  return WebhookTarget.parse({ to, ...(of !== undefined && (to === "home" ? { platform: of } : { chat: of })) });
}

export function toSlotInfo(slot: Slot): SlotInfo {
  const { name, type, ask } = slot;
  return {
    ...{ name, type, ask, required: slot.default === undefined && slot.optional !== true },
    ...(slot.default !== undefined && { default: slot.default }),
    ...(type === "choice" && { options: [...slot.options] }),
    ...(type === "weekday" && { options: [...WEEKDAYS] }),
  };
}
