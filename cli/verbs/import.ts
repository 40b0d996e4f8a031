// `talaria import`: a file of `talaria export` into an empty profile.
import type { Verb } from "../command-line/verb.ts";
import { UsageError } from "../connection/connection.ts";
import { type ImportProgress, importProfile } from "../moving/import-profile.ts";
import { createMovingClient } from "../moving/moving-client.ts";
import { createProgress } from "../moving/progress.ts";
import { TarError } from "../moving/tar-header.ts";

const FOREIGN =
  "No deployment that this one trusts has signed the archive. Its words count as content, and its evidence, settings and usage were left out.";

export const importVerb: Verb = {
  name: "import",
  help: "read a file of `talaria export` into an empty profile",
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
  ],
};

/** A file that is not an archive, or cannot be read, is the person's to correct. */
function toUsage(error: unknown): never {
  if (error instanceof TarError) throw new UsageError(error.message);
  if (error instanceof Error && "code" in error && error.code === "ENOENT") throw new UsageError(`${error.message}.`);
  throw error;
}
