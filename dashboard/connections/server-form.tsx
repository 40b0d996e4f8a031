// The form of an MCP server. Headers and variables are sealed by the server and never shown again, so a change asks for them anew.
import { useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Field } from "../components/field.tsx";
import { ErrorNote } from "../components/states.tsx";
import { type Answer, call } from "../data/api.ts";

type Server = Answer<"GET /v1/mcp/servers">["servers"][number];

interface ServerFormProps {
  /** Absent: a new one. */
  server: Server | undefined;
  onClose(): void;
  onSaved(): void;
}

export function ServerForm({ server, onClose, onSaved }: ServerFormProps) {
  const isLocal = server?.kind === "local";
  const [name, setName] = useState(server?.server ?? "");
  const [address, setAddress] = useState(server?.address ?? "");
  const [secrets, setSecrets] = useState("");
  const [include, setInclude] = useState((server?.include ?? []).join(", "));
  const [enabled, setEnabled] = useState(server?.enabled ?? true);
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const { pairs, bad } = readLines(secrets);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    const sealed = Object.keys(pairs).length === 0 ? {} : isLocal ? { env: pairs } : { headers: pairs };
    const only = include.split(",").map((word) => word.trim());
    const body = {
      ...(isLocal ? { command: address } : { url: address }),
      ...sealed,
      include: only.some(Boolean) ? only.filter(Boolean) : undefined,
      exclude: server?.exclude,
      timeoutMs: server?.timeoutMs,
      enabled,
    };
    try {
      await call("PUT /v1/mcp/servers/{server}", { params: { server: name }, body });
      onSaved();
      onClose();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  }

  return (
    <Dialog title={server ? `Change ${server.server}` : "Add an MCP server"} onClose={onClose}>
      <form class="form" onSubmit={(event) => void submit(event)}>
        {!server && (
          <Field label="Name" hint="Small letters and digits. The tools' names begin with it.">
            {(props) => (
              <input {...props} required value={name} onInput={(event) => setName(event.currentTarget.value)} />
            )}
          </Field>
        )}
        <Field label={isLocal ? "Command" : "Address"}>
          {(props) => (
            <input
              {...props}
              required
              inputMode={isLocal ? "text" : "url"}
              placeholder={isLocal ? "" : "https://…"}
              value={address}
              onInput={(event) => setAddress(event.currentTarget.value)}
            />
          )}
        </Field>
        <Field
          label={isLocal ? "Variables" : "Headers"}
          error={bad === undefined ? undefined : `“${bad}” has no name before a colon. Write it as Name: value.`}
          hint={
            server && server.secrets.length > 0
              ? "Secrets are never shown. Give all of them again: what you leave out is erased."
              : "One a line, as `Name: value`. They are sealed, and never shown again."
          }
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
        <Field label="Only these tools" hint="Names with commas between them. Empty: all that it offers.">
          {(props) => <input {...props} value={include} onInput={(event) => setInclude(event.currentTarget.value)} />}
        </Field>
        <label class="check">
          <input type="checkbox" checked={enabled} onChange={(event) => setEnabled(event.currentTarget.checked)} />
          The agent may use it
        </label>
        {error !== undefined && <ErrorNote error={error} />}
        <div class="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={isBusy} disabled={bad !== undefined}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** `Name: value`, one a line; empty lines do not count. `bad` is the first line that is neither. */
export function readLines(text: string): { pairs: Record<string, string>; bad?: string } {
  const pairs: Record<string, string> = {};
  for (const line of text.split("\n").filter((one) => one.trim() !== "")) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon)).trim();
    if (name === "") return { pairs, bad: line.trim() };
    pairs[name] = line.slice(colon + 1).trim();
  }
  return { pairs };
}
