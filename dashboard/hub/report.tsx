// What a package is, what it runs, what it needs, and what the scanner found in it: shown before it is installed or updated. Every text in it
// is a stranger's.
import { Badge } from "../components/badge.tsx";
import { Facts } from "../components/facts.tsx";
import { showHidden } from "../components/hidden-text.ts";
import { countOf, formatBytes } from "../components/numbers.ts";
import { Findings } from "../skills/findings.tsx";
import { Needs } from "../skills/needs.tsx";
import { type Report, VERDICTS, listNeeds } from "./hub-words.ts";

export function PackageReport({ report, notes }: { report: Report; notes: string[] }) {
  const { description, verdict, findings, warnings, conditions } = report;
  const needs = listNeeds(report);
  const remarks = [...notes, ...warnings];
  return (
    <>
      <p dir="auto">{showHidden(description)}</p>
      <p>
        <Badge tone={VERDICTS[verdict].tone}>{VERDICTS[verdict].name}</Badge>
      </p>
      <Runs report={report} />
      {needs.length > 0 && (
        <section aria-label="What it names as needed">
          <h3>What it names as needed</h3>
          <Facts facts={Object.fromEntries(needs.map(([what, items]) => [what, showHidden(items.join(", "))]))} />
        </section>
      )}
      <Needs conditions={conditions} contract={null} dependencies={[]} />
      <Findings findings={findings} />
      <Files files={report.files} />
      {remarks.length > 0 && (
        <section aria-label="Remarks">
          <h3>Remarks</h3>
          <ul class="bullets">
            {remarks.map((remark) => (
              <li key={remark} dir="auto">
                {showHidden(remark)}
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function Runs({ report: { scripts, commands, allowedTools } }: { report: Report }) {
  if (scripts.length + commands.length + allowedTools.length === 0) {
    return <p class="muted">It has no scripts, and its texts show no commands.</p>;
  }
  return (
    <section aria-label="What it runs">
      <h3>What it runs</h3>
      <Facts
        facts={{
          "Files that can run": scripts.length > 0 ? <span class="mono">{showHidden(scripts.join(", "))}</span> : null,
          "Tools it would allow itself":
            allowedTools.length > 0
              ? `${showHidden(allowedTools.join(", "))}. Installing it allows none of them.`
              : null,
        }}
      />
      {commands.length > 0 && (
        <details>
          <summary>{countOf(commands.length, "command")} in its texts</summary>
          <ul class="plain-list">
            {commands.map(({ path, line, language, code }, i) => (
              <li key={i}>
                <span class="mono small">
                  {showHidden(path)}:{line} {language}
                </span>
                <pre class="code" tabIndex={0}>
                  <code>{showHidden(code)}</code>
                </pre>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function Files({ files }: Pick<Report, "files">) {
  const paths = Object.keys(files);
  return (
    <details>
      <summary>{countOf(paths.length, "file")}</summary>
      <ul class="plain-list">
        {paths.map((path) => (
          <li key={path}>
            <span class="mono">{showHidden(path)}</span> <span class="muted">{formatBytes(files[path]!)}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
