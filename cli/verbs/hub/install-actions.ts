// `talaria skills install|update|uninstall`: shows what would come, asks, and then installs exactly that.
import { HubInstalled, HubUninstalled, HubUpdate } from "../../../core/schemas/hub/hub-api.ts";
import type { HubDecision } from "../../../core/schemas/hub/hub-api.ts";
import { EXIT, type ExitCode } from "../../command-line/exit-codes.ts";
import { YES_FLAG } from "../../command-line/flags.ts";
import { type Action, type Flags, type VerbCall, textFlag } from "../../command-line/verb.ts";
import { ProblemError } from "../../connection/client.ts";
import { UsageError } from "../../connection/connection.ts";
import { hasGrown, renderInspection, renderUpdate, shown } from "../../output/hub-report.ts";
import { SKILLS_LOCK, readSkillsLock } from "../../output/skills-lock.ts";
import { check, inspect } from "./find-actions.ts";

const ACCEPT_FLAGS = {
  accept: { type: "boolean", help: "with --yes: also what would need a question, or grows" },
  ...YES_FLAG,
} as const satisfies Flags;

export const INSTALL_ACTIONS: Action[] = [
  {
    name: "install",
    words: "SOURCE",
    help: `show what a skill needs and runs, ask, and install it; or all of a ${SKILLS_LOCK}`,
    flags: { name: { type: "string", value: "SKILL", help: "under this name" }, ...ACCEPT_FLAGS },
    async run(call) {
      const [source = ""] = call.words;
      const locked = readSkillsLock(source);
      if (locked === null) return installOne(call, source, textFlag(call.flags, "name"));
      if (textFlag(call.flags, "name") !== undefined)
        throw new UsageError(`--name goes with one skill, not with a ${SKILLS_LOCK}.`);
      return forEach(call, locked, ({ name, source: from, sourceType }) => {
        if (from !== null) return installOne(call, from, undefined);
        const folder = "`talaria skills import FOLDER` takes its folder";
        call.output.note(`${shown(name)} came from ${shown(sourceType)}, which is no source here: ${folder}.`);
        return Promise.resolve(EXIT.refused);
      });
    },
  },
  {
    name: "update",
    words: "[SKILL]",
    help: "show what a newer version changes and adds, ask, and apply it",
    flags: {
      all: { type: "boolean", help: "every skill that has a newer version" },
      version: { type: "string", value: "VERSION", help: "this version; it may be an older one" },
      keep: { type: "boolean", help: "keep your changes as SKILL-local where they do not fit" },
      ...ACCEPT_FLAGS,
    },
    async run(call) {
      const [skill] = call.words;
      const isAll = call.flags.all === true;
      if ((skill === undefined) !== isAll || (isAll && call.flags.version !== undefined))
        throw new UsageError(
          "Name one skill, or say --all (without --version). `talaria skills check` lists what is newer.",
        );
      if (skill !== undefined) return updateOne(call, skill);
      const newer = (await check(call.client())).filter(({ state }) => state === "update");
      if (newer.length === 0) call.output.note("Nothing is newer.");
      return forEach(call, newer, ({ name }) => updateOne(call, name));
    },
  },
  {
    name: "uninstall",
    words: "SKILL",
    help: "take a skill that came from elsewhere out, and forget its source",
    flags: YES_FLAG,
    async run({ words: [skill = ""], flags, json, output, client }) {
      if (!(await output.confirm(`Uninstall the skill ${skill}?`, flags.yes === true))) return;
      const gone = await client().call(HubUninstalled, "DELETE /v1/hub/skills/{name}", { params: { name: skill } });
      if (json) output.json(gone);
      else output.note(`${gone.name} is uninstalled. ${shown(gone.kept)}`);
    },
  },
];

type Done = ExitCode | undefined;

async function installOne(call: VerbCall, source: string, name: string | undefined): Promise<Done> {
  const { json, output, client } = call;
  const inspection = await inspect(call, source, name);
  if (!inspection) return EXIT.refused;
  output.note(renderInspection(inspection).trimEnd());
  if (inspection.exists === "other")
    throw new UsageError(
      `There is another skill ${shown(inspection.report.name)} here. Give this one a name with --name.`,
    );
  if (!(await agree(call, inspection.decision, `Install ${shown(inspection.report.name)}?`))) return EXIT.refused;
  const body = { source, hash: inspection.hash, ...(name !== undefined && { name }) };
  const { skill, outcome, ...more } = await client().call(HubInstalled, "POST /v1/hub/install", { body });
  if (json) output.json({ outcome, skill, ...more });
  else if (outcome === "unchanged") output.note(`${skill.name} is installed already.`);
  else output.note(`Installed ${skill.name}, version ${shown(skill.version)}. It is on trial.`);
}

async function updateOne(call: VerbCall, skill: string): Promise<Done> {
  const { flags, json, output, client } = call;
  const version = textFlag(flags, "version");
  const keep = flags.keep === true ? ("companion" as const) : undefined;
  const wanted = { ...(version !== undefined && { version }), ...(keep && { keep }) };
  const update = (body: object) =>
    client().call(HubUpdate, "POST /v1/hub/skills/{name}/update", { params: { name: skill }, body });
  const preview = await update(wanted);
  if (preview.outcome === "current") {
    if (json) output.json(preview);
    else output.note(`${skill} has the newest version.`);
    return undefined;
  }
  for (const { diff } of preview.files) output.note(diff);
  output.note(renderUpdate(preview).trimEnd());
  if ((preview.merge === "conflict" || preview.merge === "no_base") && !keep) {
    output.note("Your changes do not fit. With --keep they become a skill beside it.");
    return EXIT.refused;
  }
  // Nobody has seen what it adds.
  const grown = preview.decision.outcome === "allowed" && hasGrown(preview.grown);
  const decision = grown ? { ...preview.decision, outcome: "ask" as const } : preview.decision;
  if (!(await agree(call, decision, `Update ${skill}?`))) return EXIT.refused;
  const done = await update({ ...wanted, hash: preview.to.hash });
  if (json) output.json(done);
  else
    output.note(
      `${done.name} has version ${shown(done.to.version)}${done.companion ? `; your text is ${done.companion}` : ""}.`,
    );
}

/** Asks the person, unless they have said so on the command line. What is refused is never asked. */
async function agree({ flags, output }: VerbCall, { outcome }: HubDecision, question: string): Promise<boolean> {
  if (outcome === "refused") return false;
  if (outcome === "allowed" || flags.yes !== true) return output.confirm(question, flags.yes === true);
  if (flags.accept === true) return true;
  output.note("Nothing was done: say --accept, too, to take it as it is shown.");
  return false;
}

/** One after the other; one that is refused does not end the others. The worst end is the end of all. */
async function forEach<T>(call: VerbCall, items: readonly T[], work: (item: T) => Promise<Done>): Promise<Done> {
  let worst: Done;
  for (const item of items) {
    const end = await work(item).catch((error: unknown) => {
      if (!(error instanceof ProblemError)) throw error;
      call.output.note(`! ${error.message}`);
      return error.problem.status >= 500 ? EXIT.failed : EXIT.refused;
    });
    if (end !== undefined && worst !== EXIT.failed) worst = end;
  }
  return worst;
}
