// One package, looked at before it is installed: fetched and scanned by the server, then shown. Installing takes exactly what is shown.
import { useEffect, useState } from "preact/hooks";
import { Badge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Facts } from "../components/facts.tsx";
import { Field } from "../components/field.tsx";
import { showHidden } from "../components/hidden-text.ts";
import { ErrorNote, Loading } from "../components/states.tsx";
import { toast } from "../components/toasts.tsx";
import { useAttempt } from "../components/use-attempt.ts";
import { call } from "../data/api.ts";
import { invalidate } from "../data/resource.ts";
import { may } from "../data/sign-in.ts";
import { hrefOf } from "../pages.ts";
import { type Inspection, SOURCES, TRUSTS, choicesOf, shortVersion } from "./hub-words.ts";
import { PackageReport } from "./report.tsx";

interface InspectProps {
  /** As a person writes it, or as a hit names it. */
  source: string;
  onClose(): void;
  /** Another one in its place: the source has several. */
  onChoose(source: string): void;
}

export function InspectDialog({ source, onClose, onChoose }: InspectProps) {
  const [found, setFound] = useState<Inspection>();
  const [error, setError] = useState<unknown>();
  const [name, setName] = useState("");
  const [hasRead, setRead] = useState(false);
  const attempt = useAttempt();
  useEffect(() => {
    const stopped = new AbortController();
    call("POST /v1/hub/inspect", { body: { source }, signal: stopped.signal }).then(
      setFound,
      (failure: unknown) => stopped.signal.aborted || setError(failure),
    );
    return () => stopped.abort();
  }, []);
  const { outcome } = found?.decision ?? { outcome: "refused" };
  const choices = choicesOf(error);
  const isTaken = found?.exists === "other";
  const isReady = (outcome === "allowed" || hasRead) && (!isTaken || name.trim() !== "");

  async function install(): Promise<void> {
    const body = { source, hash: found!.hash, ...(isTaken && { name: name.trim() }) };
    const done = await call("POST /v1/hub/install", { body });
    await invalidate("/v1/hub", "/v1/skills");
    toast(
      done.outcome === "unchanged"
        ? `${done.skill.name} was installed already.`
        : `${done.skill.name} is installed. It is on trial until it has helped.`,
    );
    location.hash = hrefOf("hub", "installed");
  }

  return (
    <Dialog title={found ? `Install ${found.report.name}?` : "Look at a skill"} onClose={onClose}>
      <div class="stack">
        {error !== undefined && choices.length === 0 && <ErrorNote error={error} />}
        {choices.length > 0 && (
          <>
            <p>There are several skills here. Which one?</p>
            <ul class="plain-list" aria-label="Skills of this source">
              {choices.map((choice) => (
                <li key={choice.source} class="hub-line">
                  <span class="hub-words">
                    <strong dir="auto">{showHidden(choice.name)}</strong>
                    <span class="muted small" dir="auto">
                      {showHidden(choice.description)}
                    </span>
                  </span>
                  <Button label={`Look inside ${choice.name}`} onClick={() => onChoose(choice.source)}>
                    Look inside
                  </Button>
                </li>
              ))}
            </ul>
          </>
        )}
        {!found && error === undefined && <Loading />}
        {found && (
          <>
            <Origin found={found} />
            <Decision found={found} />
            <PackageReport report={found.report} notes={found.notes} />
            {isTaken && (
              <Field label="Name here" hint="There is another skill of its name. Lower-case words joined by hyphens.">
                {(props) => <input {...props} value={name} onInput={(event) => setName(event.currentTarget.value)} />}
              </Field>
            )}
            {outcome === "ask" && may("write") && (
              <label class="check">
                <input type="checkbox" checked={hasRead} onChange={(event) => setRead(event.currentTarget.checked)} />
                I have read what it runs and what was found
              </label>
            )}
          </>
        )}
        {attempt.error !== undefined && <ErrorNote error={attempt.error} />}
      </div>
      <div class="dialog-foot">
        <Button onClick={onClose}>{outcome === "refused" ? "Close" : "Cancel"}</Button>
        {found && outcome !== "refused" && may("write") && (
          <Button
            kind={outcome === "ask" ? "danger" : "primary"}
            isBusy={attempt.isBusy}
            disabled={!isReady}
            onClick={() => void attempt.run(install).then((done) => done && onClose())}
          >
            Install
          </Button>
        )}
      </div>
    </Dialog>
  );
}

function Origin({ found: { ref, version, commit, trust, hash } }: { found: Inspection }) {
  return (
    <Facts
      facts={{
        From: (
          <>
            {SOURCES[ref.source]}: <span class="mono">{showHidden(ref.identifier)}</span>{" "}
            <Badge tone={TRUSTS[trust].tone}>{TRUSTS[trust].name}</Badge>
          </>
        ),
        Version: <span class="mono">{shortVersion(version)}</span>,
        Commit: commit === undefined || commit === version ? null : <span class="mono">{shortVersion(commit)}</span>,
        "SHA-256": <span class="mono">{hash.slice(0, 16)}…</span>,
      }}
    />
  );
}

function Decision({ found: { decision, exists } }: { found: Inspection }) {
  const tone = decision.outcome === "refused" ? "note-bad" : decision.outcome === "ask" ? "note-warn" : "";
  return (
    <>
      <p class={`note ${tone}`}>{showHidden(decision.why)}</p>
      {exists === "same" && <p class="muted">This package is installed already.</p>}
      {exists === "older" && <p class="muted">Another version of it is installed. Update it under Installed.</p>}
    </>
  );
}
