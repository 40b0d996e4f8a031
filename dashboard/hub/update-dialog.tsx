// An update, shown before it is made: what it adds, what it changes in the files, and what becomes of changes that were made here. Updating
// applies exactly what is shown.
import { useEffect, useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Facts } from "../components/facts.tsx";
import { showHidden } from "../components/hidden-text.ts";
import { ErrorNote, Loading } from "../components/states.tsx";
import { toast } from "../components/toasts.tsx";
import { UnifiedDiff } from "../components/unified-diff.tsx";
import { useAttempt } from "../components/use-attempt.ts";
import { call } from "../data/api.ts";
import { invalidate } from "../data/resource.ts";
import { type Update, describeGrown, shortVersion } from "./hub-words.ts";
import { PackageReport } from "./report.tsx";

export function UpdateDialog({ name, onClose, onChanged }: { name: string; onClose(): void; onChanged(): void }) {
  const [shown, setShown] = useState<Update>();
  const [error, setError] = useState<unknown>();
  const [hasRead, setRead] = useState(false);
  const attempt = useAttempt();
  const route = "POST /v1/hub/skills/{name}/update";
  useEffect(() => {
    const stopped = new AbortController();
    call(route, { params: { name }, body: {}, signal: stopped.signal }).then(
      setShown,
      (failure: unknown) => stopped.signal.aborted || setError(failure),
    );
    return () => stopped.abort();
  }, []);
  const isPreview = shown?.outcome === "preview";
  const needsKeep = shown?.merge === "conflict" || shown?.merge === "no_base";
  const outcome = isPreview ? shown.decision.outcome : "refused";

  async function apply(): Promise<void> {
    const body = { hash: shown!.to.hash, ...(needsKeep && { keep: "companion" as const }) };
    const done = await call(route, { params: { name }, body });
    await invalidate("/v1/skills");
    onChanged();
    toast(
      `${name} is at ${shortVersion(done.to.version)} now.${done.companion === undefined ? "" : ` Your text is in ${done.companion}.`}`,
    );
  }

  return (
    <Dialog title={isPreview ? `Update ${name}?` : `Update of ${name}`} onClose={onClose}>
      <div class="stack">
        {error !== undefined && <ErrorNote error={error} />}
        {!shown && error === undefined && <Loading />}
        {shown?.outcome === "current" && <p>It is up to date: {shortVersion(shown.from.version)}.</p>}
        {isPreview && (
          <>
            <Preview update={shown} />
            {outcome === "ask" && (
              <label class="check">
                <input type="checkbox" checked={hasRead} onChange={(event) => setRead(event.currentTarget.checked)} />
                I have read what changes and what it runs
              </label>
            )}
          </>
        )}
        {attempt.error !== undefined && <ErrorNote error={attempt.error} />}
      </div>
      <div class="dialog-foot">
        <Button onClick={onClose}>{outcome === "refused" ? "Close" : "Cancel"}</Button>
        {outcome !== "refused" && (
          <Button
            kind={outcome === "ask" || needsKeep ? "danger" : "primary"}
            isBusy={attempt.isBusy}
            disabled={outcome === "ask" && !hasRead}
            onClick={() => void attempt.run(apply).then((done) => done && onClose())}
          >
            {needsKeep ? "Update, and keep my text beside it" : "Update"}
          </Button>
        )}
      </div>
    </Dialog>
  );
}

function Preview({ update }: { update: Update }) {
  const { from, to, decision, grown, files, report, notes } = update;
  const added = describeGrown(grown);
  return (
    <>
      <Facts
        facts={{
          From: <span class="mono">{shortVersion(from.version)}</span>,
          To: <span class="mono">{shortVersion(to.version)}</span>,
        }}
      />
      {decision.outcome !== "allowed" && (
        <p class={`note ${decision.outcome === "refused" ? "note-bad" : "note-warn"}`}>{showHidden(decision.why)}</p>
      )}
      <section aria-label="What it adds">
        <h3>What it adds</h3>
        {added.length === 0 ? (
          <p class="muted">Nothing to run, to reach or to need.</p>
        ) : (
          <ul class="bullets">
            {added.map((line) => (
              <li key={line}>{showHidden(line)}</li>
            ))}
          </ul>
        )}
      </section>
      <Merge update={update} />
      <section aria-label="What changes">
        <h3>What changes</h3>
        {files.length === 0 && <p class="muted">No file changes.</p>}
        {files.map(({ path, change, diff }) => (
          <div key={path} class="changed-file">
            {/* The difference of a text names its file itself. */}
            {(change !== "changed" || !diff.startsWith("--- ")) && (
              <p class="changed-path">
                <span class="mono">{showHidden(path)}</span> is {change}.
              </p>
            )}
            <UnifiedDiff name={path} diff={diff} />
          </div>
        ))}
      </section>
      <details>
        <summary>The whole package</summary>
        <PackageReport report={report} notes={notes} />
      </details>
    </>
  );
}

/** What becomes of changes that were made here. */
function Merge({ update: { merge, changedHere, conflicts, name } }: { update: Update }) {
  if (merge === "unchanged") return null;
  if (merge === "merged") {
    return (
      <p class="note">
        You have changed {showHidden(changedHere.join(", "))}. Your changes and those of the update are both kept.
      </p>
    );
  }
  return (
    <section aria-label="Conflicts">
      <h3>Both changed the same places</h3>
      <p class="note note-warn">
        {merge === "no_base" && "The text that was installed was purged, so there is nothing to merge by. "}
        If you update, your text is kept in the skill {name}-local, and {name} becomes the new package.
      </p>
      <ul class="plain-list">
        {conflicts.map(({ path, line, here, there }) => (
          <li key={`${path} ${line}`}>
            <p class="mono small">
              {showHidden(path)}
              {line > 0 && `:${line}`}
            </p>
            <dl class="facts">
              <div>
                <dt>Here</dt>
                <dd dir="auto">{showHidden(here)}</dd>
              </div>
              <div>
                <dt>There</dt>
                <dd dir="auto">{showHidden(there)}</dd>
              </div>
            </dl>
          </li>
        ))}
      </ul>
    </section>
  );
}
