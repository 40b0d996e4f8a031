// `talaria export`: the whole profile as one file.
import { existsSync } from "node:fs";
import { Manifest } from "../../core/schemas/moving/manifest.ts";
import type { Verb } from "../command-line/verb.ts";
import { UsageError } from "../connection/connection.ts";
import { exportProfile } from "../moving/export-profile.ts";
import { createMovingClient } from "../moving/moving-client.ts";
import { createProgress, formatBytes } from "../moving/progress.ts";

export const exportVerb: Verb = {
  name: "export",
  help: "write the whole profile into one file, without keys and secrets",
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
  ],
};
