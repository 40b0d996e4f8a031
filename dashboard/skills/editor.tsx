// The editor of a skill: SKILL.md and its other files as plain text. An edit is made to one revision; if there is a newer one by the time it is
// saved, nothing is overwritten and nothing typed is lost.
import { useEffect, useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { confirm } from "../components/dialog.tsx";
import { Field } from "../components/field.tsx";
import { formatBytes } from "../components/numbers.ts";
import { Page as Frame, Section } from "../components/page.tsx";
import { ScopeNote } from "../components/scope-note.tsx";
import { ErrorNote, Failure, Loading } from "../components/states.tsx";
import { toast } from "../components/toasts.tsx";
import { ProblemError, call } from "../data/api.ts";
import { change, useResource } from "../data/resource.ts";
import { may } from "../data/sign-in.ts";
import { hrefOf } from "../pages.ts";
import { Conflict } from "./conflict.tsx";
import {
  type Draft,
  NAME_FIELD,
  checkNewPath,
  isChanged,
  keepLineEnds,
  nameText,
  newDraft,
  placeOf,
  toDraft,
} from "./draft.ts";
import { dropDraft, keepDraft, keptDraft } from "./drafts.ts";
import { SKILL_MD, isText, pathsOf, sizeOf } from "./files.ts";
import type { Detail } from "./words.ts";

/** `name`: `null` for a new skill. */
export function SkillEditor({ name }: { name: string | null }) {
  const asked = name === null ? null : { params: { name } };
  const { value, error, reload } = useResource("GET /v1/skills/{name}", asked);
  const title = name === null ? "New skill" : `Edit ${name}`;
  const isReady = name === null || value !== undefined;
  return (
    <Frame
      title={title}
      lead={
        name !== null && (
          <>
            Once saved, the skill is yours: reviews no longer change it, unless you hand it to the agent again.{" "}
            <a href={hrefOf("skills", name)}>Back to the skill</a>
          </>
        )
      }
    >
      <ScopeNote scope="write" to="change skills" />
      {error !== undefined && value === undefined && <Failure error={error} retry={() => void reload()} />}
      {!isReady && error === undefined && <Loading />}
      {isReady && may("write") && <Form name={name} present={value} />}
    </Frame>
  );
}

function Form({ name, present }: { name: string | null; present: Detail | undefined }) {
  const [draft, setDraft] = useState<Draft>(() => keptDraft(name) ?? (present ? toDraft(present) : newDraft()));
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const isDirty = isChanged(draft);
  const update = (changed: Partial<Draft>) => {
    const next = { ...draft, ...changed };
    keepDraft(name, next);
    setDraft(next);
  };
  useWarningBeforeLeaving(isDirty);
  const rev = present?.head?.rev ?? 0;
  // While it is saved, the revision changes by the save itself.
  const isOutdated = name !== null && !isBusy && rev !== draft.base;

  async function save(event: Event): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const saved = name ?? (await checkFree(draft.name));
      const files = { ...draft.files };
      if (name === null && isText(files[SKILL_MD])) files[SKILL_MD] = nameText(files[SKILL_MD], saved);
      const head = await change("PUT /v1/skills/{name}", {
        params: { name: saved },
        body: { files, base: draft.base },
      });
      dropDraft(name);
      const broken = head.health?.broken.length ?? 0;
      toast(
        `Saved as revision ${head.rev}.${broken > 0 ? ` ${broken === 1 ? "1 thing is" : `${broken} things are`} broken: see Checks.` : ""}`,
      );
      location.hash = hrefOf("skills", saved);
    } catch (failure) {
      setError(failure);
      if (isConflict(failure)) await readAgain();
    } finally {
      setBusy(false);
    }
  }
  const { reload: readAgain } = useResource("GET /v1/skills/{name}", name === null ? null : { params: { name } });
  const place = placeOf(error, draft.files);
  const errorAt = (where: string) => (place === where ? (error as Error).message : undefined);
  const discard = () => {
    dropDraft(name);
    setError(undefined);
    setDraft(present ? toDraft(present) : newDraft());
  };
  return (
    <form class="editor" onSubmit={(event) => void save(event)}>
      {isOutdated && present ? (
        <Conflict
          draft={draft}
          present={present}
          onKeep={() => {
            setError(undefined);
            update({ base: rev, original: present.files });
          }}
          onDiscard={discard}
        />
      ) : (
        error !== undefined && place === null && <ErrorNote error={error} />
      )}
      {name === null && (
        <Field
          label="Name"
          hint="Lower-case words joined by hyphens, such as reading-logs."
          error={errorAt(NAME_FIELD)}
        >
          {(props) => (
            <input
              {...props}
              autocomplete="off"
              spellcheck={false}
              required
              value={draft.name}
              onInput={(event) => update({ name: event.currentTarget.value.trim() })}
            />
          )}
        </Field>
      )}
      <FileFields draft={draft} update={update} errorAt={errorAt} />
      <div class="form-actions editor-foot">
        <Button
          type="submit"
          kind="primary"
          isBusy={isBusy}
          disabled={!isDirty || (isOutdated && present !== undefined)}
        >
          Save
        </Button>
        <a class="button" href={name === null ? hrefOf("skills") : hrefOf("skills", name)}>
          {isDirty ? "Leave, and keep the draft" : "Cancel"}
        </a>
        {isDirty && (
          <Button kind="quiet" onClick={() => askToDiscard(discard)}>
            Discard changes
          </Button>
        )}
      </div>
    </form>
  );
}

interface FileFieldsProps {
  draft: Draft;
  update(changed: Partial<Draft>): void;
  errorAt(path: string): string | undefined;
}

function FileFields({ draft: { files }, update, errorAt }: FileFieldsProps) {
  const [path, setPath] = useState("");
  const [wrong, setWrong] = useState<string | null>(null);
  const add = () => {
    const refusal = checkNewPath(path.trim(), files);
    setWrong(refusal);
    if (refusal !== null) return;
    update({ files: { ...files, [path.trim()]: "" } });
    setPath("");
  };
  const remove = (gone: string) => {
    const { [gone]: _, ...rest } = files;
    update({ files: rest });
  };
  return (
    <>
      {pathsOf(files).map((one) => (
        <div key={one} class="editor-file">
          <FileField
            path={one}
            body={files[one]!}
            error={errorAt(one)}
            onInput={(text) => update({ files: { ...files, [one]: text } })}
          />
          {one !== SKILL_MD && <Button kind="quiet" icon="trash" label={`Remove ${one}`} onClick={() => remove(one)} />}
        </div>
      ))}
      <Section title="Add a file">
        <div class="add-file">
          <Field label="Path" hint="Such as references/details.md or scripts/run.sh." error={wrong ?? undefined}>
            {(props) => (
              <input
                {...props}
                spellcheck={false}
                autocomplete="off"
                value={path}
                onInput={(event) => setPath(event.currentTarget.value)}
                onKeyDown={(event) => {
                  if (event.key !== "Enter") return;
                  event.preventDefault();
                  add();
                }}
              />
            )}
          </Field>
          <Button icon="plus" onClick={add}>
            Add file
          </Button>
        </div>
      </Section>
    </>
  );
}

interface FileFieldProps {
  path: string;
  body: Detail["files"][string];
  error: string | undefined;
  onInput(text: string): void;
}

function FileField({ path, body, error, onInput }: FileFieldProps) {
  if (!isText(body)) {
    return (
      <p>
        <span class="mono">{path}</span>{" "}
        <span class="muted">{formatBytes(sizeOf(body))}, not text: kept as it is.</span>
      </p>
    );
  }
  return (
    <Field label={path} error={error}>
      {({ class: input, ...props }) => (
        <textarea
          {...props}
          class={`${input} editor-text`}
          dir="auto"
          spellcheck={false}
          value={body.replaceAll("\r\n", "\n")}
          onInput={(event) => onInput(keepLineEnds(body, event.currentTarget.value))}
        />
      )}
    </Field>
  );
}

function askToDiscard(discard: () => void): void {
  confirm({
    title: "Discard what you typed?",
    text: <p>The fields show the stored skill again. What you typed is lost.</p>,
    action: "Discard",
    isDanger: true,
    run: async () => discard(),
  });
}

/** A new skill must not replace one that is there, also not one that came with Talaria. */
async function checkFree(name: string): Promise<string> {
  const found = await call("GET /v1/skills/{name}", { params: { name } }).catch((error: unknown) => {
    if (error instanceof ProblemError && error.problem.code === "skill_not_found") return null;
    throw error;
  });
  if (found === null) return name;
  const detail =
    "There is a skill of this name already, perhaps an archived one. Choose another name, or edit that one.";
  throw new ProblemError({ status: 409, code: "bad_skill_name", title: "The name is taken", detail });
}

function isConflict(error: unknown): boolean {
  return error instanceof ProblemError && error.problem.code === "skill_changed";
}

/** The browser asks before the tab is closed with a draft in it. */
function useWarningBeforeLeaving(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return undefined;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, [isDirty]);
}
