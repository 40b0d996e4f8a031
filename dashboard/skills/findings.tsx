// What the scanner found in the files of a skill: where, how serious, and why. For an import and for the hub.
import { Badge } from "../components/badge.tsx";
import { showHidden } from "../components/hidden-text.ts";
import { countOf } from "../components/numbers.ts";
import type { Answer } from "../data/api.ts";

type Finding = Answer<"POST /v1/skills/import/preview">["findings"][number];

export function Findings({ findings }: { findings: Finding[] }) {
  if (findings.length === 0) return null;
  return (
    <section aria-label="Findings of the scanner">
      <h3>The scanner found {countOf(findings.length, "passage")} to look at</h3>
      <ul class="findings">
        {findings.map(({ path, line, column, severity, reason }, i) => (
          <li key={i}>
            <Badge tone={/high|critical|danger/i.test(severity) ? "bad" : "warn"}>{severity}</Badge>{" "}
            <span class="mono">
              {showHidden(path)}:{line}:{column}
            </span>{" "}
            <span dir="auto">{reason}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
