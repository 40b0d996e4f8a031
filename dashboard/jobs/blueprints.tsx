// The gallery of blueprints: jobs and goals that people start from.
import { useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { quote } from "../components/hidden-text.ts";
import { Icon } from "../components/icon.tsx";
import { Section } from "../components/page.tsx";
import { Loaded } from "../components/states.tsx";
import { toast } from "../components/toasts.tsx";
import { call } from "../data/api.ts";
import { change, useResource } from "../data/resource.ts";
import { may } from "../data/sign-in.ts";
import { hrefOf } from "../pages.ts";
import { SlotForm } from "./slot-form.tsx";
import type { Blueprint } from "./slots.ts";

const KINDS = [
  { kind: "job", title: "Jobs", icon: "clock" },
  { kind: "goal", title: "Goals", icon: "goal" },
] as const;

export function Blueprints() {
  const blueprints = useResource("GET /v1/blueprints", {});
  const [chosen, setChosen] = useState<Blueprint | null>(null);
  return (
    <Loaded of={blueprints}>
      {({ blueprints: list }) => (
        <>
          {KINDS.map(({ kind, title, icon }) => (
            <Section key={kind} title={title}>
              <ul class="cards">
                {list
                  .filter((blueprint) => blueprint.kind === kind)
                  .map((blueprint) => (
                    <li key={blueprint.id} class="card">
                      <h3 class="blueprint-title">
                        <Icon name={icon} />
                        {blueprint.title}
                      </h3>
                      <p class="muted">{blueprint.purpose}</p>
                      {may("write") && (
                        <div class="card-foot">
                          <Button label={`Use ${quote(blueprint.title)}`} onClick={() => setChosen(blueprint)}>
                            Use
                          </Button>
                        </div>
                      )}
                    </li>
                  ))}
              </ul>
            </Section>
          ))}
          {chosen && <UseBlueprint blueprint={chosen} onClose={() => setChosen(null)} />}
        </>
      )}
    </Loaded>
  );
}

function UseBlueprint({ blueprint, onClose }: { blueprint: Blueprint; onClose(): void }) {
  return (
    <SlotForm
      blueprint={blueprint}
      onClose={onClose}
      make={async ({ name, slots }) => {
        const params = { blueprint: blueprint.id };
        // A goal is worked at by a session, here by a new one.
        const session =
          blueprint.kind === "goal"
            ? (await call("POST /v1/sessions", { body: { title: blueprint.title } })).session
            : undefined;
        const affected = ["/v1/jobs", "/v1/goals", "/v1/sessions", "/v1/suggestions"];
        const made = await change(
          "POST /v1/blueprints/{blueprint}",
          { params, body: { slots, ...(name !== undefined && { name }), ...(session !== undefined && { session }) } },
          affected,
        );
        toast(made.kind === "job" ? `The job ${quote(made.job.name)} was made.` : "The goal was set.");
        location.hash = made.kind === "job" ? hrefOf("jobs", made.job.name) : hrefOf("goals", made.goal.id);
      }}
    />
  );
}
