// One store of the page Memory: its meter, the form for a new fact, and its facts, the newest first.
import { useState } from "preact/hooks";
import { Badge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { confirm } from "../components/dialog.tsx";
import { Field } from "../components/field.tsx";
import { FormDialog } from "../components/form-dialog.tsx";
import { Meter } from "../components/meter.tsx";
import { formatNumber } from "../components/numbers.ts";
import { Section } from "../components/page.tsx";
import { Empty } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import { toast } from "../components/toasts.tsx";
import { call, describeError } from "../data/api.ts";
import { may } from "../data/sign-in.ts";
import { Cited } from "../learning/cited.tsx";
import { hrefOf } from "../pages.ts";
import { type Fact, type MemoryPage, type STORES, describeOrigin, findFacts, linksOf, standingOf } from "./facts.ts";

interface StoreProps {
  store: (typeof STORES)[number];
  usage: MemoryPage["usage"]["memory"];
  facts: Fact[];
  /** Of the search. */
  words: string;
  reload(): Promise<void>;
}

/** Facts shown at first. A store rarely has more, since its part of the prompt holds about thirty. */
const FIRST = 100;

export function Store({ store, usage, facts, words, reload }: StoreProps) {
  const [isWhole, setWhole] = useState(false);
  const found = findFacts(facts, words);
  const shown = isWhole ? found : found.slice(0, FIRST);
  return (
    <Section title={store.title}>
      <div class="stack">
        <p class="muted">{store.about}</p>
        {usage && (
          <Meter
            label={`Room in the prompt for: ${store.title}`}
            value={usage.chars}
            limit={usage.limit}
            text={describeRoom(usage)}
          />
        )}
        {may("write") && <AddFact store={store} reload={reload} />}
        {facts.length === 0 && (
          <Empty icon="memory" title="Nothing yet">
            <p>{may("write") ? "Add the first fact above." : "The agent adds facts as it learns them."}</p>
          </Empty>
        )}
        {facts.length > 0 && found.length === 0 && <p class="muted">No fact here has these words.</p>}
        {shown.length > 0 && (
          <ul class="items" aria-label={store.title}>
            {shown.map((fact) => (
              <FactRow key={fact.id} fact={fact} reload={reload} />
            ))}
          </ul>
        )}
        {shown.length < found.length && (
          <Button onClick={() => setWhole(true)}>Show {formatNumber(found.length - shown.length)} more</Button>
        )}
      </div>
    </Section>
  );
}

function describeRoom({ chars, limit, percent, outside }: NonNullable<StoreProps["usage"]>): string {
  if (outside === 0)
    return `${formatNumber(chars)} of ${formatNumber(limit)} characters of the prompt are used (${percent} %).`;
  const left = outside === 1 ? "1 fact does" : `${formatNumber(outside)} facts do`;
  return `${formatNumber(chars)} characters, and the prompt has room for ${formatNumber(limit)}. ${left} not fit: the newest take precedence.`;
}

function AddFact({ store, reload }: Pick<StoreProps, "store" | "reload">) {
  const [text, setText] = useState("");
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (text.trim() === "") return setError("Write the fact first.");
    setBusy(true);
    setError(undefined);
    try {
      const { existed } = await call("POST /v1/memory", { body: { store: store.name, content: text } });
      setText("");
      toast(existed ? "This fact was there already." : "The fact was added.");
      await reload();
    } catch (failure) {
      setError(describeError(failure));
    } finally {
      setBusy(false);
    }
  }
  return (
    <form class="add-row" aria-label={`Add to: ${store.title}`} onSubmit={(event) => void submit(event)}>
      <Field label="New fact" error={error}>
        {(props) => (
          <input
            {...props}
            dir="auto"
            autocomplete="off"
            placeholder={`Such as: ${store.example}`}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        )}
      </Field>
      <Button type="submit" icon="plus" class="beside-label" isBusy={isBusy}>
        Add
      </Button>
    </form>
  );
}

function FactRow({ fact, reload }: { fact: Fact; reload(): Promise<void> }) {
  const [isEdited, setEdited] = useState(false);
  const params = { store: fact.store, memory: fact.id };
  const done = (text: string) => {
    toast(text);
    return reload();
  };
  const forget = () =>
    confirm({
      title: "Forget this fact?",
      text: (
        <>
          <p dir="auto">“{fact.text}”</p>
          <p>
            The agent no longer has it in mind. Its text stays in the store until the next clean-up, and in the records
            of the work it came from. It may be learned again. To delete every copy, purge it.
          </p>
        </>
      ),
      action: "Forget",
      run: async () => {
        await call("DELETE /v1/memory/{store}/{memory}", { params });
        void done("The fact was forgotten.");
      },
    });
  const purge = () =>
    confirm({
      title: "Purge this fact?",
      text: (
        <>
          <p dir="auto">“{fact.text}”</p>
          <p>
            Every copy of the text is deleted: in memory, waiting changes, reviews, curations, recorded requests and the
            search of messages. It cannot be brought back, and this text is never stored as a fact again.
          </p>
        </>
      ),
      action: "Purge",
      isDanger: true,
      run: async () => {
        await call("POST /v1/memory/{store}/{memory}/purge", { params });
        void done("Every copy of the fact was deleted.");
      },
    });
  return (
    <li>
      <div class="item-head">
        <p class="item-text" dir="auto">
          {fact.text}
        </p>
        {may("write") && (
          <div class="item-actions">
            <Button kind="quiet" icon="edit" label="Correct" onClick={() => setEdited(true)} />
            <Button kind="quiet" icon="close" label="Forget" onClick={forget} />
            <Button kind="quiet" icon="trash" label="Purge" onClick={purge} />
          </div>
        )}
      </div>
      {isEdited && <CorrectFact fact={fact} close={() => setEdited(false)} done={done} />}
      <p class="item-facts">
        <Standing fact={fact} />
        <span>{describeOrigin(fact)}</span>
        <Time at={fact.since} />
        {linksOf(fact).map(({ name, to }) => (
          <a key={name} href={hrefOf(...to)}>
            {name}
          </a>
        ))}
      </p>
      <Cited citations={fact.citations ?? []} />
    </li>
  );
}

function Standing({ fact }: { fact: Fact }) {
  switch (standingOf(fact)) {
    case "shown":
      return <Badge tone="good">In the prompt</Badge>;
    case "outside":
      return <Badge tone="warn">Does not fit</Badge>;
    case "hidden":
      return (
        <>
          <Badge tone="bad">Hidden from the agent</Badge>
          <span>
            Reason: {fact.findings.map(({ reason }) => reason).join("; ")}. Correct it to let the agent read it.
          </span>
        </>
      );
  }
}

function CorrectFact({ fact, close, done }: { fact: Fact; close(): void; done(text: string): Promise<void> }) {
  const [text, setText] = useState(fact.text);
  async function save(): Promise<void> {
    const params = { store: fact.store, memory: fact.id };
    await call("PUT /v1/memory/{store}/{memory}", { params, body: { content: text } });
    void done("The fact was corrected.");
  }
  return (
    <FormDialog title="Correct this fact" action="Save" run={save} onClose={close}>
      <Field label="Corrected fact" hint="One fact, in one sentence. It takes the place of the old one.">
        {(props) => (
          <textarea
            {...props}
            dir="auto"
            rows={4}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}
