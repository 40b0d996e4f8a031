// The forms of an MCP server. Its address and its secrets are sealed by the server and never shown again, so that a change concerns only
// what is offered; another address is another server.
import { useState } from "preact/hooks";
import { quote } from "../components/hidden-text.ts";
import { Field } from "../components/field.tsx";
import { FormDialog } from "../components/form-dialog.tsx";
import { type Answer, call } from "../data/api.ts";
import { readLines, readNames } from "../components/read-fields.ts";

type Server = Answer<"GET /v1/mcp/servers">["servers"][number];

interface ServerFormProps {
  /** Absent: a new one. */
  server: Server | undefined;
  onClose(): void;
  onSaved(): void;
}

export function ServerForm({ server, onClose, onSaved }: ServerFormProps) {
  const [name, setName] = useState("");
  const [url, setUrl] = useState("");
  const [secrets, setSecrets] = useState("");
  const [include, setInclude] = useState((server?.include ?? []).join(", "));
  const [exclude, setExclude] = useState((server?.exclude ?? []).join(", "));
  const [enabled, setEnabled] = useState(server?.enabled ?? true);
  const { pairs, bad } = readLines(secrets);
  const offered = { include: readNames(include), exclude: readNames(exclude) };

  async function save(): Promise<void> {
    if (server) {
      const { include: only, exclude: not } = offered;
      const body = { include: only.length > 0 ? only : null, exclude: not.length > 0 ? not : null, enabled };
      await call("PATCH /v1/mcp/servers/{server}", { params: { server: server.server }, body });
      return;
    }
    const chosen = Object.fromEntries(Object.entries(offered).filter(([, names]) => names.length > 0));
    const body = { url, ...(Object.keys(pairs).length > 0 && { headers: pairs }), ...chosen, enabled };
    await call("PUT /v1/mcp/servers/{server}", { params: { server: name }, body });
  }

  return (
    <FormDialog
      title={server ? `Change ${server.server}` : "Add an MCP server"}
      action="Save"
      isInvalid={bad !== undefined}
      run={() => save().then(onSaved)}
      onClose={onClose}
    >
      {!server && (
        <>
          <Field label="Name" hint="Small letters, digits and hyphens. The tools' names begin with it.">
            {(props) => (
              <input {...props} required value={name} onInput={(event) => setName(event.currentTarget.value)} />
            )}
          </Field>
          <Field label="Address" hint="It may hold a secret, so it is never shown again in full.">
            {(props) => (
              <input
                {...props}
                required
                type="url"
                placeholder="https://…"
                value={url}
                onInput={(event) => setUrl(event.currentTarget.value)}
              />
            )}
          </Field>
          <Field
            label="Headers"
            hint="One a line, as `Name: value`. They are sealed, and never shown again."
            error={bad === undefined ? undefined : `${quote(bad)} has no name before a colon. Write it as Name: value.`}
          >
            {(props) => (
              <textarea
                {...props}
                rows={3}
                spellcheck={false}
                value={secrets}
                onInput={(event) => setSecrets(event.currentTarget.value)}
              />
            )}
          </Field>
        </>
      )}
      {server && <p class="muted">The address and the secrets stay. For another address, add another server.</p>}
      <Field label="Only these tools" hint="Names with commas between them; * stands for any characters. Empty: all.">
        {(props) => <input {...props} value={include} onInput={(event) => setInclude(event.currentTarget.value)} />}
      </Field>
      <Field label="Not these tools">
        {(props) => <input {...props} value={exclude} onInput={(event) => setExclude(event.currentTarget.value)} />}
      </Field>
      <label class="check">
        <input type="checkbox" checked={enabled} onChange={(event) => setEnabled(event.currentTarget.checked)} />
        The agent may use it
      </label>
    </FormDialog>
  );
}
