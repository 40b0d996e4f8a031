// `talaria export`: the whole profile as one file, or as a home of another program.
import { existsSync } from "node:fs";
import { Manifest } from "../../core/schemas/moving/manifest.ts";
import { MOVED_KINDS } from "../../core/moving/foreign/foreign-home.ts";
import type { Action, Verb } from "../command-line/verb.ts";
import { UsageError } from "../connection/connection.ts";
import { type HOMES_OUT, exportHome } from "../moving/foreign/export-home.ts";
import { showReport } from "../moving/foreign/move-report.ts";
import { exportProfile } from "../moving/export-profile.ts";
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

export const exportVerb: Verb = {
  name: "export",
  help: "write the profile into a file, or as a home of another program",
  actions: [
    {
      name: null,
      words: "FILE",
      help: "sessions with their files, skills with revisions and evidence, memory, settings, usage; continues an export that was cut off",
      async run({ words: [path], json, output, connection }) {
        if (path === undefined) throw new UsageError("Name the file: talaria export profile.tar");
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
