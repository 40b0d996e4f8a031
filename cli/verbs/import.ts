// `talaria import`: a file of `talaria export` into an empty profile, or the home of another program into any.
import { MOVED_KINDS, type ForeignHome, type MovedKind } from "../../core/moving/foreign/foreign-home.ts";
import type { HermesRows } from "../../core/moving/foreign/hermes-sessions.ts";
import { readClaude } from "../../core/moving/foreign/read-claude.ts";
import { readHermes } from "../../core/moving/foreign/read-hermes.ts";
import { readOpenClaw } from "../../core/moving/foreign/read-openclaw.ts";
import type { ForeignProgram } from "../../core/schemas/sessions/transcript.ts";
import { type Action, type Flags, type Verb, textFlag } from "../command-line/verb.ts";
import { UsageError } from "../connection/connection.ts";
import { openHermesDatabase } from "../moving/foreign/hermes-database.ts";
import { type HomeFolder, openHome } from "../moving/foreign/home-folder.ts";
import { importHome } from "../moving/foreign/import-home.ts";
import { showReport } from "../moving/foreign/move-report.ts";
import { type ImportProgress, importProfile } from "../moving/import-profile.ts";
import { createMovingClient } from "../moving/moving-client.ts";
import { createProgress } from "../moving/progress.ts";
import { TarError } from "../moving/tar-header.ts";

const FOREIGN =
  "No deployment that this one trusts has signed the archive. Its words count as content, and its evidence, settings and usage were left out.";

const PROGRAMS: Record<ForeignProgram, string> = { hermes: "Hermes", openclaw: "OpenClaw", claude: "Claude Code" };

const MOVE_FLAGS: Flags = {
  "dry-run": { type: "boolean", help: "only show what would come" },
  only: { type: "string", value: "KINDS", help: `some of ${MOVED_KINDS.join(", ")}` },
  "use-personality": { type: "boolean", help: "new sessions have the personality that came" },
};

/** `talaria import hermes FOLDER`: the home of another program. */
function importOf(program: ForeignProgram, folder: string): Action {
  return {
    name: program,
    words: "FOLDER",
    help: `move the home of ${PROGRAMS[program]} in, such as ${folder}; repeated, it changes nothing`,
    flags: MOVE_FLAGS,
    async run({ words: [path = ""], flags, json, output, client }) {
      const only = readKinds(textFlag(flags, "only"));
      const dryRun = flags["dry-run"] === true;
      const folder = openHome(path, program);
      using database = program === "hermes" ? openHermesDatabase(folder.root, folder.notes) : null;
      const home = readHome(program, folder, database?.rows ?? null);
      const progress = createProgress(output);
      const usePersonality = flags["use-personality"] === true;
      const report = await importHome(client(), home, { only, dryRun, usePersonality, onProgress: progress });
      report.notes.push(...folder.notes);
      if (json) return output.json({ program, dryRun, ...report });
      showReport(output, report, { verb: dryRun ? "would come" : "came", only });
      const moved = only.some((kind) => report.moved[kind].length > 0);
      if (!moved) output.note("Nothing was changed.");
      else if (!dryRun) output.note("Nothing of it runs: skills are on trial, and jobs pause until you resume them.");
    },
  };
}

export const importVerb: Verb = {
  name: "import",
  help: "read a file of `talaria export`, or move another program's home in",
  actions: [
    {
      name: null,
      words: "FILE",
      help: "continues an import that was cut off, when it is given the same file",
      async run({ words: [path], json, output, connection }) {
        if (path === undefined) throw new UsageError("Name the file: talaria import profile.tar");
        const progress = createProgress(output);
        const report = ({ stage, done, of }: ImportProgress) => progress(`${stage} ${done} of ${of}`);
        const {
          trusted,
          report: brought,
          skipped,
        } = await importProfile(createMovingClient(connection()), path, report).catch(toUsage);
        if (json) return output.json({ trusted, ...brought, skipped });
        const { sessions = 0, skills = 0, facts = 0 } = brought ?? {};
        output.text(`Imported ${sessions} sessions, ${skills} skills and ${facts} facts.`);
        if (!trusted) output.note(FOREIGN);
        for (const one of skipped) output.note(`left out: ${one}`);
        output.note("Enter the secrets of outbound webhooks and MCP servers again: they are switched off until then.");
        output.note(
          "Set channels and inbound webhooks up again, and make boards, roles, jobs and goals: they do not travel.",
        );
      },
    },
    importOf("hermes", "~/.hermes"),
    importOf("openclaw", "~/.openclaw"),
    importOf("claude", "~/.claude"),
  ],
};

function readHome(program: ForeignProgram, folder: HomeFolder, rows: HermesRows | null): ForeignHome {
  switch (program) {
    case "hermes":
      return readHermes(folder, rows, Date.now());
    case "openclaw":
      return readOpenClaw(folder, Date.now());
    case "claude":
      return readClaude(folder);
  }
}

function readKinds(text: string | undefined): readonly MovedKind[] {
  if (text === undefined) return MOVED_KINDS;
  const words = text.split(",").map((word) => word.trim());
  const wrong = words.find((word) => !(MOVED_KINDS as readonly string[]).includes(word));
  if (wrong === undefined) return MOVED_KINDS.filter((kind) => words.includes(kind));
  throw new UsageError(`--only takes some of ${MOVED_KINDS.join(", ")}, not ${JSON.stringify(wrong)}.`);
}

/** A file that is not an archive, or cannot be read, is the person's to correct. */
function toUsage(error: unknown): never {
  if (error instanceof TarError) throw new UsageError(error.message);
  if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "EISDIR"))
    throw new UsageError(`${error.message}. The home of another program: \`talaria import hermes FOLDER\`.`);
  throw error;
}
