// `talaria skills taps|tap|github-token`, and publishing to a tap.
import { PublishedPull, TapInfo, TapList } from "../../../core/schemas/hub/taps.ts";
import { YES_FLAG } from "../../command-line/flags.ts";
import type { Action, VerbCall } from "../../command-line/verb.ts";
import { UsageError } from "../../connection/connection.ts";
import { shown } from "../../output/hub-report.ts";
import type { Column } from "../../output/table.ts";
import { formatTime } from "../../output/times.ts";

const TAP: Column<TapInfo>[] = [
  { title: "tap", cell: ({ tap }) => tap },
  { title: "kind", cell: ({ source }) => source },
  { title: "added", cell: ({ addedAt }) => formatTime(addedAt) },
  { title: "where", cell: ({ identifier }) => shown(identifier), shrinks: true },
];

export const TAP_ACTIONS: Action[] = [
  {
    name: "taps",
    help: "the places that a search also asks, and whether a GitHub token is set",
    async run({ json, output, client }) {
      const list = await client().call(TapList, "GET /v1/hub/taps");
      if (json) return output.json(list);
      output.table(list.taps, TAP, "There is no tap.");
      const { githubToken: token } = list;
      if (!token) return output.note("No GitHub token is set.");
      const other = token.usable ? "" : " The deployment uses another server now: set it again.";
      output.note(`A GitHub token for ${shown(token.server)} is set since ${formatTime(token.setAt)}.${other}`);
    },
  },
  {
    name: "tap",
    words: "add|remove NAME [SOURCE]",
    help: "add owner/repo, owner/repo/path or the address of an index; or remove it",
    flags: YES_FLAG,
    async run({ words: [what = "", tap = "", source], flags, json, output, client }) {
      if (what === "add" && source !== undefined) {
        const added = await client().call(TapInfo, "PUT /v1/hub/taps/{tap}", { params: { tap }, body: { source } });
        if (json) output.json(added);
        else output.note(`${added.tap} is ${added.source} ${shown(added.identifier)}.`);
        return;
      }
      if (what !== "remove" || source !== undefined)
        throw new UsageError("Write it as `talaria skills tap add NAME SOURCE` or `talaria skills tap remove NAME`.");
      if (!(await output.confirm(`Remove the tap ${tap}? Its skills stay.`, flags.yes === true))) return;
      await client().send("DELETE /v1/hub/taps/{tap}", { params: { tap } });
      if (json) output.json({ tap, removed: true });
      else output.note(`${tap} is removed.`);
    },
  },
  {
    name: "github-token",
    help: "set the token for GitHub: asked for here, or the variable GITHUB_TOKEN",
    flags: { remove: { type: "boolean", help: "remove it here; it stays valid at GitHub" } },
    async run(call) {
      const { flags, json, output, client } = call;
      if (flags.remove === true) await client().send("DELETE /v1/hub/github-token");
      else await client().send("PUT /v1/hub/github-token", { body: { token: await readToken(call) } });
      if (json) output.json({ set: flags.remove !== true });
      else output.note(flags.remove === true ? "The token is removed." : "The token is set. It is never shown.");
    },
  },
];

/** Never an argument, which other programs of the machine and the shell's history can see. */
async function readToken({ env, output }: VerbCall): Promise<string> {
  const token = env.GITHUB_TOKEN?.trim() ?? "";
  if (token !== "") return token;
  if (!output.isTerminal) throw new UsageError("Set the variable GITHUB_TOKEN, or run it in a terminal.");
  return (await output.askSecret("GitHub token: ")).trim();
}

/** `talaria skills publish SKILL --tap TAP` */
export async function publishToTap(
  { words: [skill = ""], json, output, client }: VerbCall,
  tap: string,
  message?: string,
) {
  const body = { skill, tap, ...(message !== undefined && { message }) };
  const done = await client().call(PublishedPull, "POST /v1/hub/publish", { body });
  if (json) return output.json(done);
  for (const warning of done.warnings) output.note(`! ${shown(warning)}`);
  if (!done.pull) return output.note(`${shown(done.repository)} has exactly this text already.`);
  output.note(`${done.opened ? "Opened" : "There is"} pull request ${done.pull.number} (${done.pull.state}):`);
  output.text(shown(done.pull.url));
}
