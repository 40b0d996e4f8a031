// Personalities: how the agent speaks in sessions that choose one. Shipped ones, and those that a person has written.
import { useState } from "preact/hooks";
import { Badge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { confirm } from "../components/dialog.tsx";
import { Field } from "../components/field.tsx";
import { FormDialog } from "../components/form-dialog.tsx";
import { ScopeNote } from "../components/scope-note.tsx";
import { Listed, MoreButton } from "../components/states.tsx";
import { toast } from "../components/toasts.tsx";
import { type Answer, call } from "../data/api.ts";
import { useList } from "../data/list.ts";
import { may } from "../data/sign-in.ts";

type Personality = Answer<"GET /v1/personalities">["personalities"][number];

export function PersonalitySettings() {
  const list = useList("GET /v1/personalities", { query: {} }, ({ personalities }) => personalities);
  const [edited, setEdited] = useState<Personality | "new">();
  return (
    <>
      <ScopeNote scope="write" to="write personalities" />
      {may("write") && (
        <div class="toolbar toolbar-end">
          <Button icon="plus" onClick={() => setEdited("new")}>
            Write a personality
          </Button>
        </div>
      )}
      <Listed of={list} empty={null}>
        {(items) => (
          <ul class="items" aria-label="Personalities">
            {items.map((one) => (
              <PersonalityRow key={one.name} one={one} edit={() => setEdited(one)} reload={list.reload} />
            ))}
          </ul>
        )}
      </Listed>
      <MoreButton of={list} />
      {edited && (
        <PersonalityForm
          given={edited === "new" ? undefined : edited}
          onClose={() => setEdited(undefined)}
          reload={list.reload}
        />
      )}
    </>
  );
}

interface RowProps {
  one: Personality;
  edit(): void;
  reload(): Promise<void>;
}

function PersonalityRow({ one, edit, reload }: RowProps) {
  const { name, description, text, own } = one;
  const remove = () =>
    confirm({
      title: `Delete the personality ${name}?`,
      text: "Its text is lost. Sessions that chose it go on with the shipped one of its name, or without one.",
      action: "Delete",
      isDanger: true,
      run: async () => {
        await call("DELETE /v1/personalities/{personality}", { params: { personality: name } });
        toast("The personality was deleted.");
        void reload();
      },
    });
  return (
    <li>
      <div class="item-head">
        <div class="item-text">
          <h2 class="item-title">{name}</h2>
          <p class="item-facts">
            <Badge tone={own ? "accent" : "plain"}>{own ? "Yours" : "Shipped"}</Badge>
            <span dir="auto">{description}</span>
          </p>
        </div>
        {may("write") && (
          <div class="item-actions">
            <Button onClick={edit}>{own ? "Edit" : "Replace with your own"}</Button>
            {own && <Button onClick={remove}>Delete</Button>}
          </div>
        )}
      </div>
      <details>
        <summary>Its instructions</summary>
        <p class="plain-text" dir="auto">
          {text}
        </p>
      </details>
    </li>
  );
}

interface FormProps {
  /** Absent: a new one. */
  given: Personality | undefined;
  onClose(): void;
  reload(): Promise<void>;
}

function PersonalityForm({ given, onClose, reload }: FormProps) {
  const [name, setName] = useState(given?.name ?? "");
  const [description, setDescription] = useState(given?.description ?? "");
  const [text, setText] = useState(given?.text ?? "");
  async function save(): Promise<void> {
    const params = { personality: name.trim() };
    await call("PUT /v1/personalities/{personality}", { params, body: { description: description.trim(), text } });
    toast("The personality was saved. Sessions that choose it use it from their next message on.");
    void reload();
  }
  return (
    <FormDialog
      title={given ? `Edit the personality ${given.name}` : "Write a personality"}
      action="Save"
      run={save}
      onClose={onClose}
    >
      {!given && (
        <Field label="Name" hint="Lower-case letters, digits and dashes. It is also the word after /personality.">
          {(props) => (
            <input
              {...props}
              autocomplete="off"
              required
              maxLength={64}
              value={name}
              onInput={(event) => setName(event.currentTarget.value)}
            />
          )}
        </Field>
      )}
      <Field label="Description" hint="A few words for the list.">
        {(props) => (
          <input
            {...props}
            dir="auto"
            autocomplete="off"
            maxLength={200}
            value={description}
            onInput={(event) => setDescription(event.currentTarget.value)}
          />
        )}
      </Field>
      <Field label="Instructions" hint="They become a part of the agent's prompt. At most 8,000 characters.">
        {(props) => (
          <textarea
            {...props}
            dir="auto"
            rows={8}
            required
            maxLength={8_000}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}
