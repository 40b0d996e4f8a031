// Memory: both stores with how full their part of the prompt is, each fact with its source, and what a person may do with it.
import { useState } from "preact/hooks";
import { Page as Frame } from "../components/page.tsx";
import { ScopeNote } from "../components/scope-note.tsx";
import { Listed } from "../components/states.tsx";
import { useList } from "../data/list.ts";
import { useResource } from "../data/resource.ts";
import { hrefOf } from "../pages.ts";
import "../styles/admin.css";
import "../styles/learning.css";
import "../styles/skills.css";
import { STORES } from "../memory/facts.ts";
import { Store } from "../memory/store.tsx";

export function Page() {
  // Whole pages as items: each also says how full the stores are.
  // A search must see every fact. There are seldom more than a thousand.
  const list = useList("GET /v1/memory", { query: { limit: "1000" } }, (page) => [page], { isWhole: true });
  const [words, setWords] = useState("");
  // The newest first: those are the ones that fit.
  const facts = list.items.flatMap(({ entries }) => entries).toReversed();
  return (
    <Frame
      title="Memory"
      lead="Facts that the agent has in mind in every conversation. New conversations begin with them; a running one keeps those that it began with."
    >
      <ScopeNote scope="write" to="change memory" />
      <Waiting />
      <div class="toolbar" role="search">
        <input
          class="input grow"
          type="search"
          aria-label="Search in memory"
          placeholder="Search in memory"
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
      </div>
      <Listed of={list} empty={null}>
        {([first]) => (
          <div class="stores">
            {STORES.map((store) => (
              <Store
                key={store.name}
                store={store}
                usage={first!.usage[store.name]}
                facts={facts.filter((fact) => fact.store === store.name)}
                words={words}
                reload={list.reload}
              />
            ))}
          </div>
        )}
      </Listed>
    </Frame>
  );
}

/** Facts that wait for a person are not in memory yet. */
function Waiting() {
  const { value } = useResource("GET /v1/pending", { query: {} });
  const count = value?.pending.filter(({ tool, state }) => tool === "memory" && state === "waiting").length ?? 0;
  if (count === 0) return null;
  return (
    <div class="note note-warn scope-note">
      <p>{count === 1 ? "1 change of memory waits" : `${count} changes of memory wait`} for your decision.</p>
      <a href={hrefOf("learning", "pending")}>Decide in Learning</a>
    </div>
  );
}
