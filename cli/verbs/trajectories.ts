// `talaria trajectories`: whether the profile's conversations may be used to train models. `talaria export --trajectories` writes them.
import { TrajectoryConsent } from "../../core/schemas/trajectories.ts";
import type { Verb } from "../command-line/verb.ts";
import { UsageError } from "../connection/connection.ts";
import { formatTime } from "../output/times.ts";

export const trajectories: Verb = {
  name: "trajectories",
  help: "allow or forbid that conversations leave as data to train on",
  actions: [
    {
      name: "consent",
      words: "[on|off]",
      help: "show it, give it or withdraw it; off by default",
      async run({ words: [word], json, output, client }) {
        if (word !== undefined && word !== "on" && word !== "off")
          throw new UsageError("talaria trajectories consent takes on, off or nothing.");
        const consent =
          word === undefined
            ? await client().call(TrajectoryConsent, "GET /v1/trajectories/consent")
            : await client().call(TrajectoryConsent, "PUT /v1/trajectories/consent", {
                body: { allowed: word === "on" },
              });
        if (json) return output.json(consent);
        const { allowed, changedAt, changedBy } = consent;
        const since = changedAt === undefined ? "" : ` since ${formatTime(changedAt)}, by ${changedBy}`;
        output.text(`Conversations may ${allowed ? "" : "not "}leave as data to train on${since}.`);
        if (word === "off") output.note("What has left cannot be called back.");
      },
    },
  ],
};
