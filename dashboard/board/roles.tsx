// The roles of the profile: what a session is that works on a role's cards.
import { useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { quote } from "../components/hidden-text.ts";
import { confirm } from "../components/dialog.tsx";
import { Facts } from "../components/facts.tsx";
import { Field } from "../components/field.tsx";
import { FormDialog } from "../components/form-dialog.tsx";
import { formatNumber } from "../components/numbers.ts";
import { Empty, Loaded } from "../components/states.tsx";
import type { Answer } from "../data/api.ts";
import { change, useResource } from "../data/resource.ts";
import { may } from "../data/sign-in.ts";

type Role = Answer<"GET /v1/roles">["roles"][number];

export function Roles() {
  const roles = useResource("GET /v1/roles", {});
  const [editing, setEditing] = useState<Role | "new" | null>(null);
  const mayWrite = may("write");
  const add = mayWrite && (
    <Button kind="primary" icon="plus" onClick={() => setEditing("new")}>
      New role
    </Button>
  );
  return (
    <>
      <div class="section-head">
        <p class="muted">A card that is assigned to a role is worked on by a session with the role's set-up.</p>
        {(roles.value?.roles.length ?? 0) > 0 && add}
      </div>
      <Loaded of={roles}>
        {({ roles: list }) =>
          list.length === 0 ? (
            <Empty icon="spark" title="No roles yet">
              <p>Such as “writer”, with a model and skills of its own.</p>
              {add}
            </Empty>
          ) : (
            <ul class="role-list">
              {list.map((role) => (
                <li key={role.name} class="panel role">
                  <div class="section-head">
                    <h2>{role.name}</h2>
                    {mayWrite && (
                      <span>
                        <Button kind="quiet" icon="edit" label={`Edit ${role.name}`} onClick={() => setEditing(role)} />
                        <Button kind="quiet" icon="trash" label={`Delete ${role.name}`} onClick={() => remove(role)} />
                      </span>
                    )}
                  </div>
                  {role.description && <p dir="auto">{role.description}</p>}
                  <Facts
                    facts={{
                      Model: role.model,
                      Personality: role.personality,
                      Skills: role.skills?.join(", ") || undefined,
                      "Without the tools": role.tools?.disabled.join(", ") || undefined,
                      "Tokens a turn": role.maxTokens === undefined ? undefined : formatNumber(role.maxTokens),
                    }}
                  />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {editing && <EditRole role={editing === "new" ? undefined : editing} onClose={() => setEditing(null)} />}
    </>
  );
}

function remove({ name }: Role): void {
  confirm({
    title: `Delete the role ${quote(name)}?`,
    text: "Cards that are assigned to it wait until there is a role of that name again.",
    action: "Delete role",
    isDanger: true,
    run: () => change("DELETE /v1/roles/{role}", { params: { role: name } }, ["/v1/roles"]),
  });
}

function EditRole({ role, onClose }: { role: Role | undefined; onClose(): void }) {
  const personalities = useResource("GET /v1/personalities", {}).value?.personalities ?? [];
  const models = useResource("GET /v1/models", {}).value;
  const tools = useResource("GET /v1/tools", {}).value?.tools ?? [];
  const [form, setForm] = useState({
    name: role?.name ?? "",
    description: role?.description ?? "",
    personality: role?.personality ?? "",
    model: role?.model ?? "",
    skills: role?.skills?.join(", ") ?? "",
    maxTokens: role?.maxTokens === undefined ? "" : String(role.maxTokens),
  });
  const [disabled, setDisabled] = useState(new Set(role?.tools?.disabled));
  const set =
    (name: keyof typeof form) =>
    ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement }) =>
      setForm({ ...form, [name]: currentTarget.value });
  const names = models && "models" in models ? models.models.map(({ name }) => name) : [];

  async function save(): Promise<void> {
    const { name, description, personality, model, maxTokens } = form;
    const skills = form.skills.split(/[\s,]+/).filter(Boolean);
    const body = {
      ...(description.trim() && { description: description.trim() }),
      ...(personality && { personality }),
      ...(model && { model }),
      ...(skills.length > 0 && { skills }),
      ...(disabled.size > 0 && { tools: { disabled: [...disabled] } }),
      ...(maxTokens && { maxTokens: Number(maxTokens) }),
    };
    await change("PUT /v1/roles/{role}", { params: { role: name }, body }, ["/v1/roles"]);
  }

  return (
    <FormDialog
      title={role ? `Edit the role ${quote(role.name)}` : "New role"}
      action="Save role"
      run={save}
      onClose={onClose}
    >
      {!role && (
        <Field label="Name" hint="Small letters, digits and -. Such as “writer”.">
          {(props) => (
            <input {...props} required autofocus spellcheck={false} value={form.name} onInput={set("name")} />
          )}
        </Field>
      )}
      <Field label="Description" hint="What it is for. Models read it when they divide a card.">
        {(props) => <textarea {...props} rows={2} dir="auto" value={form.description} onInput={set("description")} />}
      </Field>
      <Choice label="Model" none="The profile's own" value={form.model} options={names} onChange={set("model")} />
      <Choice
        label="Personality"
        none="The profile's own"
        value={form.personality}
        options={personalities.map(({ name }) => name)}
        onChange={set("personality")}
      />
      <Field label="Skills" hint="Loaded at the start of its runs, with commas between them.">
        {(props) => <input {...props} spellcheck={false} value={form.skills} onInput={set("skills")} />}
      </Field>
      <Field label="Tokens a turn" hint="Empty: the operator's limit.">
        {(props) => <input {...props} type="number" min={1000} value={form.maxTokens} onInput={set("maxTokens")} />}
      </Field>
      <fieldset class="tool-choice">
        <legend>Tools that it may not use</legend>
        {tools.map(({ name }) => (
          <label class="check" key={name}>
            <input
              type="checkbox"
              checked={disabled.has(name)}
              onChange={({ currentTarget }) => {
                const next = new Set(disabled);
                if (currentTarget.checked) next.add(name);
                else next.delete(name);
                setDisabled(next);
              }}
            />
            <span class="mono">{name}</span>
          </label>
        ))}
      </fieldset>
    </FormDialog>
  );
}

function Choice({
  label,
  none,
  value,
  options,
  onChange,
}: {
  label: string;
  none: string;
  value: string;
  options: string[];
  onChange(event: { currentTarget: HTMLSelectElement }): void;
}) {
  const all = value === "" || options.includes(value) ? options : [value, ...options];
  return (
    <Field label={label}>
      {(props) => (
        <select {...props} value={value} onChange={onChange}>
          <option value="">{none}</option>
          {all.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
