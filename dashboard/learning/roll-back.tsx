// The button that takes a curation back. It says first what will change.
import { Button } from "../components/button.tsx";
import { confirm } from "../components/dialog.tsx";
import { countOf } from "../components/numbers.ts";
import { change } from "../data/resource.ts";
import { may } from "../data/sign-in.ts";
import { hrefOf } from "../pages.ts";
import { type Report, changesOf, describeMove } from "./curation-facts.ts";

const AFFECTED = ["/v1/curator", "/v1/skills", "/v1/learning"];
const MAX_SHOWN = 8;

export function RollBack({ report }: { report: Report }) {
  if (!may("write")) return null;
  const changes = changesOf(report).toReversed();
  const ask = () =>
    confirm({
      title: "Roll back this run?",
      text: (
        <>
          <p>
            {changes.length === 0
              ? "Its work for models is stopped, and what that work has changed is reverted."
              : `${countOf(changes.length, "change")} will be reverted, the last one first:`}
          </p>
          <ul class="short-list">
            {changes.slice(0, MAX_SHOWN).map((one, i) => (
              <li key={i}>
                <strong>{one.skill}</strong>:{" "}
                {one.from === null ? "archived again" : describeMove({ from: one.to, to: one.from })}
              </li>
            ))}
            {changes.length > MAX_SHOWN && <li>and {changes.length - MAX_SHOWN} more</li>}
          </ul>
          <p>Skills that have changed since are left alone. The rollback is a run of its own, with a report.</p>
        </>
      ),
      action: "Roll back",
      isDanger: true,
      run: async () => {
        const { run } = await change(
          "POST /v1/curator/runs/{run}/rollback",
          { params: { run: report.run.run } },
          AFFECTED,
        );
        location.hash = hrefOf("learning", "curator", run);
      },
    });
  return (
    <Button icon="undo" onClick={ask}>
      Roll back
    </Button>
  );
}
