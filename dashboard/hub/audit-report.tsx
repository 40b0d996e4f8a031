// What an audit found: the installed skills scanned again by the present rules, and their files beside those that were installed.
import { Badge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { showHidden } from "../components/hidden-text.ts";
import { countOf } from "../components/numbers.ts";
import { Section } from "../components/page.tsx";
import { hrefOf } from "../pages.ts";
import { Findings } from "../skills/findings.tsx";
import { type Audited, VERDICTS } from "./hub-words.ts";

export function AuditReport({ audited, onClose }: { audited: Audited[]; onClose(): void }) {
  const notable = audited.filter(
    ({ grown, changed, verdict, state }) => grown || changed.length > 0 || verdict !== "safe" || state === "missing",
  );
  return (
    <Section
      title="Audit"
      actions={
        <Button kind="quiet" icon="close" onClick={onClose}>
          Close
        </Button>
      }
    >
      <p role="status">
        {countOf(audited.length, "skill")} scanned.{" "}
        {notable.length === 0 ? "Nothing to look at." : `${countOf(notable.length, "skill")} to look at.`}
      </p>
      <ul class="stack">
        {notable.map(({ name, was, verdict, findings, grown, changed, state }) => (
          <li key={name} class="panel stack">
            <div class="section-head">
              <h3>
                <a href={hrefOf("skills", name)}>{name}</a>
              </h3>
              <Badge tone={VERDICTS[verdict].tone}>{VERDICTS[verdict].name}</Badge>
            </div>
            {state === "missing" && <p class="note note-warn">It was archived or deleted here.</p>}
            {grown && (
              <p class="note note-bad">
                The present rules find more than at its installation, when it was “{VERDICTS[was].name}”.
              </p>
            )}
            {changed.length > 0 && (
              <p class="muted small">
                Changed here:{" "}
                <span class="mono">
                  {showHidden(changed.map(({ path, change }) => `${path} (${change})`).join(", "))}
                </span>
              </p>
            )}
            <Findings findings={findings} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
