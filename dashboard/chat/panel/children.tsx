// The sessions that this one delegated work to, as a tree: each opens its own children, and is a conversation to look at.
import { useState } from "preact/hooks";
import { Badge, type Tone } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Loaded } from "../../components/states.tsx";
import { useResource } from "../../data/resource.ts";
import { hrefOf } from "../../pages.ts";

const TONES: Partial<Record<string, Tone>> = {
  done: "good",
  failed: "bad",
  lost: "bad",
  stalled: "warn",
  stopped: "warn",
};

export function Children({ session }: { session: string }) {
  const list = useResource("GET /v1/sessions/{session}/children", { params: { session } });
  if (list.value?.children.length === 0) return null;
  return (
    <section aria-label="Delegated sessions">
      <h2>Delegated sessions</h2>
      <Branches session={session} />
    </section>
  );
}

function Branches({ session }: { session: string }) {
  const list = useResource("GET /v1/sessions/{session}/children", { params: { session }, query: {} });
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const toggle = (id: string) => {
    const next = new Set(open);
    if (!next.delete(id)) next.add(id);
    setOpen(next);
  };
  return (
    <Loaded of={list}>
      {({ children }) =>
        children.length === 0 ? (
          <p class="muted small">None of its own.</p>
        ) : (
          <ul class="tree">
            {children.map(({ session: id, goal, state }) => (
              <li key={id}>
                <Button
                  kind="quiet"
                  icon={open.has(id) ? "down" : "right"}
                  label={`Children of: ${goal}`}
                  aria-expanded={open.has(id)}
                  onClick={() => toggle(id)}
                />
                <a href={hrefOf("chat", id)} dir="auto">
                  {goal}
                </a>{" "}
                <Badge tone={TONES[state] ?? "plain"}>{state}</Badge>
                {open.has(id) && <Branches session={id} />}
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}
