// `talaria blueprints`: jobs and goals to start from, filled slot by slot, and what is suggested from the owner's own requests.
import { describeJobDone } from "../../core/commands/jobs/describe-jobs.ts";
import {
  BlueprintInfo,
  BlueprintList,
  MadeOfBlueprint,
  type SlotInfo,
  type Suggestion,
  SuggestionList,
} from "../../core/schemas/agenda/blueprint.ts";
import { CreatedSession } from "../../core/schemas/api.ts";
import { type Verb, type VerbCall, textFlag } from "../command-line/verb.ts";
import { ProblemError } from "../connection/client.ts";
import { UsageError } from "../connection/connection.ts";
import type { Output } from "../output/output.ts";
import type { Column } from "../output/table.ts";

const LINE: Column<BlueprintInfo>[] = [
  { title: "blueprint", cell: ({ id }) => id },
  { title: "makes", cell: ({ kind }) => `a ${kind}` },
  { title: "purpose", cell: ({ purpose }) => purpose, shrinks: true },
];
const SUGGESTED: Column<Suggestion>[] = [
  { title: "id", cell: ({ id }) => id },
  { title: "blueprint", cell: ({ blueprint }) => blueprint },
  { title: "suggestion", cell: ({ title }) => title, shrinks: true },
  { title: "why", cell: ({ why }) => why, shrinks: true },
];

const NAME_FLAG = { name: { type: "string", value: "NAME", help: "of the job" } } as const;

export const blueprints: Verb = {
  name: "blueprints",
  help: "jobs and goals to start from: list, show, use; and what is suggested to you",
  actions: [
    {
      name: "list",
      help: "all blueprints",
      async run({ json, output, client }) {
        const listed = await client().call(BlueprintList, "GET /v1/blueprints");
        if (json) output.json(listed);
        else output.table(listed.blueprints, LINE, "There are no blueprints.");
      },
    },
    {
      name: "show",
      words: "BLUEPRINT",
      help: "what a blueprint asks for",
      async run({ words: [id = ""], json, output, client }) {
        const blueprint = await client().call(BlueprintInfo, "GET /v1/blueprints/{blueprint}", {
          params: { blueprint: id },
        });
        if (json) output.json(blueprint);
        else output.text(`${blueprint.title}. ${blueprint.purpose}\n\n${blueprint.slots.map(describeSlot).join("\n")}`);
      },
    },
    {
      name: "use",
      words: "BLUEPRINT [SLOT=VALUE...]",
      help: "make a job or goal; a terminal asks for the slots that are not given",
      flags: {
        ...NAME_FLAG,
        session: { type: "string", value: "ID", help: "that works at the goal. Default: a new one" },
      },
      run: useBlueprint,
    },
    {
      name: "suggestions",
      help: "what you ask for again and again, and the blueprint that would do it",
      async run({ json, output, client }) {
        const listed = await client().call(SuggestionList, "GET /v1/suggestions");
        if (json) output.json(listed);
        else output.table(listed.suggestions, SUGGESTED, "Nothing is suggested.");
      },
    },
    {
      name: "accept",
      words: "SUGGESTION [SLOT=VALUE...]",
      help: "make the job that is suggested",
      flags: NAME_FLAG,
      async run({ words: [suggestion = "", ...given], flags, json, output, client }) {
        const name = textFlag(flags, "name");
        const made = await client().call(MadeOfBlueprint, "POST /v1/suggestions/{suggestion}/accept", {
          params: { suggestion },
          body: { slots: readGiven(given), ...(name !== undefined && { name }) },
        });
        if (json) output.json(made);
        else output.note(describeMade(made));
      },
    },
    {
      name: "dismiss",
      words: "SUGGESTION",
      help: "never suggest this again",
      async run({ words: [suggestion = ""], json, output, client }) {
        await client().send("POST /v1/suggestions/{suggestion}/dismiss", { params: { suggestion } });
        if (json) output.json({ suggestion, dismissed: true });
        else output.note("It is not suggested again.");
      },
    },
  ],
};

async function useBlueprint({ words: [id = "", ...given], flags, json, output, client }: VerbCall): Promise<void> {
  const api = client();
  const blueprint = await api.call(BlueprintInfo, "GET /v1/blueprints/{blueprint}", { params: { blueprint: id } });
  const slots = { ...readGiven(given) };
  const unknown = output.isTerminal ? blueprint.slots.map(toLocal).filter(({ name }) => slots[name] === undefined) : [];
  if (unknown.length > 0) output.note(blueprint.title);
  for (const slot of unknown) await askForSlot(slot, slots, output);
  for (const { name, default: of } of blueprint.slots.filter(isZone).map(toLocal)) slots[name] ??= String(of);
  const name = textFlag(flags, "name");
  const asked = textFlag(flags, "session");
  const isNewSession = blueprint.kind === "goal" && asked === undefined;
  const session = isNewSession ? (await api.call(CreatedSession, "POST /v1/sessions")).session : asked;
  const make = () =>
    api.call(MadeOfBlueprint, "POST /v1/blueprints/{blueprint}", {
      params: { blueprint: id },
      headers: { "idempotency-key": crypto.randomUUID() },
      body: { slots, ...(name !== undefined && { name }), ...(session !== undefined && { session }) },
    });
  for (;;) {
    try {
      const made = await make();
      return json ? output.json(made) : output.note(describeMade(made));
    } catch (error) {
      const wrong = unknown.find((slot) => slot.name === refusedSlot(error));
      if (!wrong) throw error;
      output.note((error as ProblemError).problem.detail);
      await askForSlot(wrong, slots, output);
    }
  }
}

function refusedSlot(error: unknown): unknown {
  const isSlots = error instanceof ProblemError && error.problem.code === "slots_invalid";
  return isSlots ? error.problem.facts?.slot : undefined;
}

/** An answer that is left empty is the default. */
async function askForSlot(slot: SlotInfo, into: Record<string, string>, output: Output): Promise<void> {
  const answer = (await output.ask(`${describeSlot(slot)}\n> `)).trim();
  if (answer !== "") into[slot.name] = answer;
  else if (slot.required) throw new UsageError(`\`${slot.name}\` is needed. Nothing was made.`);
  else delete into[slot.name];
}

function isZone({ type }: SlotInfo): boolean {
  return type === "timeZone";
}

/** Times are meant in this machine's zone, as with `talaria jobs`. */
function toLocal(slot: SlotInfo): SlotInfo {
  return isZone(slot) ? { ...slot, default: Intl.DateTimeFormat().resolvedOptions().timeZone } : slot;
}

function readGiven(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => {
      const equals = word.indexOf("=");
      if (equals < 1) throw new UsageError(`Write a slot as NAME=VALUE, not ${JSON.stringify(word)}.`);
      return [word.slice(0, equals), word.slice(equals + 1)];
    }),
  );
}

function describeSlot({ name, ask, required, default: of, options }: SlotInfo): string {
  const choice = options ? ` (${options.join(", ")})` : "";
  return `${name}: ${ask}${choice}${required ? "" : of === undefined ? " (optional)" : ` [${of}]`}`;
}

function describeMade(made: MadeOfBlueprint): string {
  if (made.kind === "goal") return `The goal is set. Session ${made.goal.session} works at it.`;
  return describeJobDone({ did: "create", job: made.job });
}
