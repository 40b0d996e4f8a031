// Skills of others: found by words at the sources, or opened by name or address. Nothing of a hit was fetched yet.
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { Badge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { Field } from "../components/field.tsx";
import { showHidden } from "../components/hidden-text.ts";
import { countOf } from "../components/numbers.ts";
import { Section } from "../components/page.tsx";
import { Empty, Loaded } from "../components/states.tsx";
import { useResource } from "../data/resource.ts";
import { hrefOf } from "../pages.ts";
import { type Hit, SEARCHED, SOURCES, type Source, TRUSTS, describeAsked } from "./hub-words.ts";
import { InspectDialog } from "./inspect-dialog.tsx";

interface Wanted {
  query: string;
  source: Source | "";
}

/** Kept while the reader looks at a skill and comes back. `null`: nothing was searched for. */
const typed = signal<Wanted>({ query: "", source: "" });
const asked = signal<Wanted | null>(null);

const LIMIT = "20";

export function Find() {
  const [opened, setOpened] = useState<string | null>(null);
  return (
    <div class="stack-wide">
      <SearchForm />
      <Hits onOpen={setOpened} />
      <Section title="Open one by name or address">
        <OpenForm onOpen={setOpened} />
      </Section>
      {opened !== null && (
        <InspectDialog key={opened} source={opened} onClose={() => setOpened(null)} onChoose={setOpened} />
      )}
    </div>
  );
}

function SearchForm() {
  const { query, source } = typed.value;
  const submit = (event: Event) => {
    event.preventDefault();
    if (query.trim() !== "") asked.value = { query: query.trim(), source };
  };
  return (
    <form class="toolbar" role="search" onSubmit={submit}>
      <input
        class="input grow"
        type="search"
        aria-label="Search the sources"
        placeholder="Search the sources"
        dir="auto"
        maxLength={200}
        value={query}
        onInput={(event) => (typed.value = { query: event.currentTarget.value, source })}
      />
      <select
        class="input input-auto"
        aria-label="Source"
        value={source}
        onChange={(event) => (typed.value = { query, source: event.currentTarget.value as Wanted["source"] })}
      >
        <option value="">Every source</option>
        {SEARCHED.map((one) => (
          <option key={one} value={one}>
            {SOURCES[one]}
          </option>
        ))}
      </select>
      <Button type="submit" kind="primary" icon="search">
        Search
      </Button>
    </form>
  );
}

function Hits({ onOpen }: { onOpen(source: string): void }) {
  const wanted = asked.value;
  const query = wanted && { query: wanted.query, limit: LIMIT, ...(wanted.source !== "" && { source: wanted.source }) };
  const found = useResource("GET /v1/hub/search", query && { query });
  if (wanted === null) {
    return (
      <Empty icon="search" title="Find a skill that somebody has written">
        <p>Say in a few words what it is for. Nothing is installed before you have seen what it runs.</p>
      </Empty>
    );
  }
  return (
    <Loaded of={found}>
      {({ hits, failed }) => (
        <>
          {failed.map(({ from, message }) => (
            <p key={from} class="note note-warn">
              {describeAsked(from)}: {showHidden(message)}
            </p>
          ))}
          <p class="muted small" role="status">
            {hits.length === 0
              ? failed.length > 0
                ? "No skill was found where an answer came."
                : "No skill was found."
              : countOf(hits.length, "skill")}
          </p>
          <ul class="stack" aria-label="Skills that were found">
            {hits.map((hit) => (
              <li key={`${hit.ref.source} ${hit.identifier}`} class="panel">
                <HitLine hit={hit} onOpen={onOpen} />
              </li>
            ))}
          </ul>
        </>
      )}
    </Loaded>
  );
}

function HitLine({ hit, onOpen }: { hit: Hit; onOpen(source: string): void }) {
  const { name, description, identifier, ref, trust, installs, warning, installed } = hit;
  return (
    <div class="hub-line">
      <div class="hub-words">
        <h2 class="hub-name" dir="auto">
          {showHidden(name)} <Badge tone={TRUSTS[trust].tone}>{TRUSTS[trust].name}</Badge>
        </h2>
        <p dir="auto">{showHidden(description)}</p>
        <p class="muted small">
          {SOURCES[ref.source]} · <span class="mono">{showHidden(identifier)}</span>
          {installs !== undefined && ` · ${countOf(installs, "install")}`}
        </p>
        {warning !== undefined && <p class="note note-warn">{showHidden(warning)}</p>}
      </div>
      {installed === undefined ? (
        <Button label={`Look inside ${name}`} onClick={() => onOpen(identifier)}>
          Look inside
        </Button>
      ) : (
        <a class="button" href={hrefOf("skills", installed)}>
          Installed
        </a>
      )}
    </div>
  );
}

function OpenForm({ onOpen }: { onOpen(source: string): void }) {
  const [source, setSource] = useState("");
  const submit = (event: Event) => {
    event.preventDefault();
    if (source.trim() !== "") onOpen(source.trim());
  };
  return (
    <form class="form" onSubmit={submit}>
      <Field
        label="Skill"
        hint="owner/repository/path, with @version or not; clawhub:name; the address of a site, of a SKILL.md or of an archive."
      >
        {(props) => (
          <input
            {...props}
            autocomplete="off"
            spellcheck={false}
            maxLength={2_000}
            value={source}
            onInput={(event) => setSource(event.currentTarget.value)}
          />
        )}
      </Field>
      <div class="form-actions">
        <Button type="submit">Look inside</Button>
      </div>
    </form>
  );
}
