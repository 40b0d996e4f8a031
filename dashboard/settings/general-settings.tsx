// The profile's settings as one form: each says whether it is the default, and goes back to it. Saved together.
import { useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { countOf } from "../components/numbers.ts";
import { Section } from "../components/page.tsx";
import { ScopeNote } from "../components/scope-note.tsx";
import { ErrorNote, Loaded } from "../components/states.tsx";
import { toast } from "../components/toasts.tsx";
import { useUnsaved } from "../components/use-unsaved.ts";
import { ProblemError, type AskedArgs } from "../data/api.ts";
import { change, useResource } from "../data/resource.ts";
import { may } from "../data/sign-in.ts";
import { SettingField } from "./setting-field.tsx";
import {
  type Draft,
  type Drafts,
  type Settings,
  errorsOf,
  groupSettings,
  isChanged,
  toChanges,
} from "./settings-form.ts";

export function GeneralSettings() {
  const settings = useResource("GET /v1/settings", {});
  return (
    <>
      <ScopeNote scope="write" to="change settings" />
      <Loaded of={settings}>{(value) => <SettingsForm settings={value.settings} />}</Loaded>
    </>
  );
}

function SettingsForm({ settings }: { settings: Settings }) {
  const [drafts, setDrafts] = useState<Drafts>({});
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [failure, setFailure] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const unsaved = Object.entries(drafts).filter(
    ([name, draft]) => settings[name] && isChanged(name, settings[name], draft),
  );
  useUnsaved(unsaved.length > 0);

  const enter = (name: string, draft: Draft) => {
    setDrafts({ ...drafts, [name]: draft });
    const { [name]: _gone, ...others } = errors;
    setErrors(others);
  };
  const discard = () => {
    setDrafts({});
    setErrors({});
    setFailure(undefined);
  };
  async function save(event: Event): Promise<void> {
    event.preventDefault();
    const { changes, errors: wrong } = toChanges(settings, drafts);
    setErrors(wrong);
    setFailure(undefined);
    if (Object.keys(wrong).length > 0 || Object.keys(changes).length === 0) return;
    setBusy(true);
    try {
      const asked = { body: changes } as NonNullable<AskedArgs<"PATCH /v1/settings">[0]>;
      await change("PATCH /v1/settings", asked);
      discard();
      toast("The settings were saved. A running turn keeps what it began with.");
    } catch (error) {
      const atFields = error instanceof ProblemError ? errorsOf(error.problem, Object.keys(changes)) : {};
      setErrors(atFields);
      if (Object.keys(atFields).length === 0) setFailure(error);
    } finally {
      setBusy(false);
    }
  }
  return (
    <form onSubmit={(event) => void save(event)} noValidate>
      {groupSettings(settings).map(({ group, names }) => (
        <Section key={group} title={group}>
          <div class="items">
            {names.map((name) => (
              <SettingField
                key={name}
                name={name}
                info={settings[name]!}
                draft={drafts[name]}
                error={errors[name]}
                enter={(draft) => enter(name, draft)}
              />
            ))}
          </div>
        </Section>
      ))}
      {failure !== undefined && <ErrorNote error={failure} />}
      {may("write") && unsaved.length > 0 && (
        <div class="save-bar" role="group" aria-label="Unsaved changes">
          <p role="status">{countOf(unsaved.length, "unsaved change")}</p>
          <Button onClick={discard}>Discard</Button>
          <Button type="submit" kind="primary" isBusy={isBusy}>
            Save
          </Button>
        </div>
      )}
    </form>
  );
}
