// The profile as a whole: saved into a file, brought in from one, deleted.
import { useRef, useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { Field } from "../components/field.tsx";
import { FormDialog } from "../components/form-dialog.tsx";
import { formatBytes } from "../components/numbers.ts";
import { Section } from "../components/page.tsx";
import { ErrorNote } from "../components/states.tsx";
import { useAttempt } from "../components/use-attempt.ts";
import { call } from "../data/api.ts";
import { invalidate } from "../data/resource.ts";
import { saveBlob } from "../data/save-file.ts";
import { endSignIn } from "../data/sign-in.ts";
import { type Imported, exportProfile, importProfile } from "./move-profile.ts";

export function WholeProfile({ profile }: { profile: string }) {
  const [isDeleting, setDeleting] = useState(false);
  return (
    <Section title="The whole profile">
      <ul class="items" aria-label="The whole profile">
        <Export profile={profile} />
        <Import />
        <li>
          <div class="item-head">
            <div class="item-text">
              <h3>Delete</h3>
              <p class="muted">Deletes keys, sessions, skills, memory and usage for ever. Export the profile first.</p>
            </div>
            <Button kind="danger" onClick={() => setDeleting(true)}>
              Delete the profile
            </Button>
          </div>
        </li>
      </ul>
      {isDeleting && <DeleteProfile profile={profile} onClose={() => setDeleting(false)} />}
    </Section>
  );
}

/** Work that takes longer and says how far it is. */
function useLongWork() {
  const [text, setText] = useState("");
  const { isBusy, error, run: attempt } = useAttempt();
  async function run(work: (say: (text: string) => void) => Promise<string>): Promise<void> {
    setText("Beginning…");
    const isDone = await attempt(async () => setText(await work(setText)));
    if (!isDone) setText("");
  }
  const report = (
    <>
      <p class="muted small" role="status">
        {text}
      </p>
      {error !== undefined && <ErrorNote error={error} />}
    </>
  );
  return { run, isBusy, report };
}

function Export({ profile }: { profile: string }) {
  const { run, isBusy, report } = useLongWork();
  const start = () =>
    run(async (say) => {
      const archive = await exportProfile((bytes) => say(`Reading: ${formatBytes(bytes)}`));
      saveBlob(`talaria-${profile}.tar`, archive);
      return `Saved: ${formatBytes(archive.size)}`;
    });
  return (
    <li>
      <div class="item-head">
        <div class="item-text">
          <h3>Export</h3>
          <p class="muted">
            One file with skills, memory, sessions with their files, settings and usage. It has no keys and no secrets.
          </p>
        </div>
        <Button icon="download" isBusy={isBusy} onClick={() => void start()}>
          Export the profile
        </Button>
      </div>
      {report}
    </li>
  );
}

function Import() {
  const { run, isBusy, report } = useLongWork();
  const chooser = useRef<HTMLInputElement>(null);
  const start = (file: File) =>
    run(async (say) => {
      const imported = await importProfile(file, say);
      await invalidate("/v1/");
      return describeImport(imported);
    });
  return (
    <li>
      <div class="item-head">
        <div class="item-text">
          <h3>Import</h3>
          <p class="muted">
            Brings an exported profile into this one, which must be empty. An archive of a server that this one does not
            trust arrives as content: its skills are on trial.
          </p>
        </div>
        <Button icon="upload" isBusy={isBusy} onClick={() => chooser.current?.click()}>
          Import a profile
        </Button>
        <input
          ref={chooser}
          type="file"
          accept=".tar"
          class="visually-hidden"
          tabIndex={-1}
          aria-label="File of an exported profile"
          onChange={(event) => {
            const file = event.currentTarget.files?.[0];
            event.currentTarget.value = "";
            if (file) void start(file);
          }}
        />
      </div>
      {report}
    </li>
  );
}

function describeImport({ trusted, sessions, skills, facts, skipped }: Imported): string {
  const brought = `Imported ${sessions} sessions, ${skills} skills and ${facts} facts.`;
  const left = skipped.length > 0 ? ` Left out: ${skipped.join(", ")}.` : "";
  return `${brought}${trusted ? "" : " The archive is not of a trusted server, so its skills are on trial."}${left}`;
}

function DeleteProfile({ profile, onClose }: { profile: string; onClose(): void }) {
  const [typed, setTyped] = useState("");
  async function remove(): Promise<void> {
    if (typed.trim() !== profile) throw new Error("This is not the id of the profile. Nothing was deleted.");
    await call("DELETE /v1/profiles/{profile}", { params: { profile }, query: { confirm: profile } });
    endSignIn();
  }
  return (
    <FormDialog title="Delete this profile?" action="Delete everything" isDanger run={remove} onClose={onClose}>
      <p>
        Its keys, sessions with their files, skills, memory, jobs, boards and usage are deleted. Nobody can bring them
        back.
      </p>
      <p>
        To confirm, type <code>{profile}</code>
      </p>
      <Field label="Id of the profile">
        {(props) => (
          <input
            {...props}
            autocomplete="off"
            spellcheck={false}
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}
