// Pinning an installed skill to a version: no newer one is offered until it is unpinned.
import { useState } from "preact/hooks";
import { Field } from "../components/field.tsx";
import { FormDialog } from "../components/form-dialog.tsx";
import { call } from "../data/api.ts";
import type { Installed } from "./hub-words.ts";

export function PinDialog({ skill, onClose, onChanged }: { skill: Installed; onClose(): void; onChanged(): void }) {
  const { name } = skill;
  const [version, setVersion] = useState(skill.version);
  const pin = () => call("PUT /v1/hub/skills/{name}/pin", { params: { name }, body: { version: version.trim() } });
  return (
    <FormDialog
      title={`Pin ${name}`}
      action="Pin"
      isInvalid={version.trim() === ""}
      run={() => pin().then(onChanged)}
      onClose={onClose}
    >
      <Field
        label="Version"
        hint="As its source names it: a tag, a commit, a number. Another one is installed by the next update."
      >
        {(props) => (
          <input
            {...props}
            required
            spellcheck={false}
            maxLength={200}
            value={version}
            onInput={(event) => setVersion(event.currentTarget.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}
