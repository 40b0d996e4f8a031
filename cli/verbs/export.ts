// `talaria export`: the whole profile as one file, as a home of another program, or its conversations as data to train on.
import { existsSync } from "node:fs";
import { TrajectoryFormat, TurnFilter } from "../../core/schemas/trajectories.ts";
import { Manifest } from "../../core/schemas/moving/manifest.ts";
import { MOVED_KINDS } from "../../core/moving/foreign/foreign-home.ts";
import { type Action, type Flags, type Verb, type VerbCall, readChoice, textFlag } from "../command-line/verb.ts";
import { UsageError } from "../connection/connection.ts";
import { type HOMES_OUT, exportHome } from "../moving/foreign/export-home.ts";
import { showReport } from "../moving/foreign/move-report.ts";
import { exportProfile } from "../moving/export-profile.ts";
import { type TrajectoryReport, exportTrajectories } from "../moving/export-trajectories.ts";
import { createMovingClient } from "../moving/moving-client.ts";
import { createProgress, formatBytes } from "../moving/progress.ts";

/** `talaria export hermes FOLDER`: as a home of another program. */
function exportOf(program: (typeof HOMES_OUT)[number], help: string): Action {
  return {
    name: program,
    words: "FOLDER",
    help,
    async run({ words: [path = ""], json, output, client }) {
      const report = await exportHome(client(), program, { path, onProgress: createProgress(output) });
      if (json) return output.json({ program, folder: path, ...report });
      showReport(output, report, { verb: "written", only: MOVED_KINDS });
      output.note(`Wrote ${path}. Keys and secrets are not in it.`);
    },
  };
}

const TRAJECTORY_FLAGS = {
  trajectories: { type: "string", value: "FILE", help: "instead: conversations as data to train on, as JSON lines" },
  format: { type: "string", value: "FORM", help: `of them: ${TrajectoryFormat.options.join(", ")}` },
  rated: { type: "string", value: "up|down|any", help: "only turns that you rated so" },
  successful: { type: "string", value: "true|false", help: "only turns that succeeded, or only the others" },
  tool: { type: "string", value: "NAME", help: "only turns that called this tool" },
  skill: { type: "string", value: "NAME", help: "only turns whose model had this skill" },
  since: { type: "string", value: "DAY", help: "only turns since this day, as 2026-03-01, in UTC" },
  session: { type: "string", value: "ID", help: "only this session, even if it does not learn" },
  compress: { type: "string", value: "TOKENS", help: "shorten longer conversations, as to 15250" },
} as const satisfies Flags;

const NO_STDOUT = "An export gets its name when it is whole, so it is not written to stdout. Name a file.";

export const exportVerb: Verb = {
  name: "export",
  help: "write the profile into a file, or as a home of another program",
  actions: [
    {
      name: null,
      words: "[FILE]",
      help: "sessions with their files, skills with revisions and evidence, memory, settings, usage; continues an export that was cut off",
      flags: TRAJECTORY_FLAGS,
      async run(call) {
        const { words, flags, json, output, connection } = call;
        if (textFlag(flags, "trajectories") !== undefined) return writeTrajectories(call);
        const strange = Object.keys(TRAJECTORY_FLAGS).find((name) => flags[name] !== undefined);
        if (strange !== undefined) throw new UsageError(`--${strange} is for --trajectories FILE.`);
        const [path] = words;
        if (path === undefined) throw new UsageError("Name the file: talaria export profile.tar");
        if (path === "-") throw new UsageError(NO_STDOUT);
        if (existsSync(path)) throw new UsageError(`${path} exists. Name another file.`);
        const progress = createProgress(output);
        const sealed = await exportProfile(createMovingClient(connection()), path, ({ parts, bytes }) =>
          progress(`${parts} parts, ${formatBytes(bytes)}`),
        );
        const { profile, deployment, counts, parts } = Manifest.parse(JSON.parse(sealed.manifest));
        if (json) return output.json({ file: path, profile, deployment, counts, parts: parts.length });
        output.text(`The profile ${profile} is in ${path}.`);
        output.note(`Signed by the deployment ${deployment}. Keys and secrets are not in it.`);
        output.note("Channels, their people and chats, and inbound webhooks are not in it either; their sessions are.");
        output.note("Nor are boards with their cards, roles, jobs and goals, which go on here; their sessions are.");
      },
    },
    exportOf("hermes", "a home that Hermes reads: skills, memory, personality, paused jobs, conversations"),
    exportOf("claude", "a folder that Claude Code reads: skills, and CLAUDE.md with personality and facts"),
  ],
};

async function writeTrajectories({ words, flags, json, output, client }: VerbCall): Promise<void> {
  const path = textFlag(flags, "trajectories")!;
  if (words.length > 0) throw new UsageError("Name one file: talaria export --trajectories FILE");
  if (path === "-") throw new UsageError(NO_STDOUT);
  if (existsSync(path)) throw new UsageError(`${path} exists. Name another file.`);
  const progress = createProgress(output);
  const query = {
    format: readChoice(flags, "format", TrajectoryFormat) ?? "sharegpt",
    rated: readChoice(flags, "rated", TurnFilter.shape.rated.unwrap()),
    successful: readChoice(flags, "successful", { options: ["true", "false"] }),
    ...{ tool: textFlag(flags, "tool"), skill: textFlag(flags, "skill"), since: textFlag(flags, "since") },
    ...{ session: textFlag(flags, "session"), compress: textFlag(flags, "compress") },
  };
  const onProgress = ({ lines, bytes }: TrajectoryReport) => progress(`${lines} lines, ${formatBytes(bytes)}`);
  const report = await exportTrajectories(client().http, path, { query, onProgress });
  if (json) return output.json({ file: path, format: query.format, ...report });
  output.text(`${report.lines} lines of ${query.format} are in ${path}.`);
  output.note(
    `Replaced: ${listCounts(report.redactions)}. Names of people and places are not recognised: read the file.`,
  );
  output.note(`Sessions left out: ${listCounts(report.leftOut)}.`);
}

/** `email 3, phone 1`. */
function listCounts(counts: Record<string, number>): string {
  const listed = Object.entries(counts).map(([name, count]) => `${name.replaceAll("_", " ")} ${count}`);
  return listed.length === 0 ? "none" : listed.join(", ");
}
