// Models: which model does what, what each can and costs, and whether it answers.
import { useState } from "preact/hooks";
import { CheckLines } from "../health/check-lines.tsx";
import {
  type ListedModel,
  type ModelList,
  type Slot,
  describePrice,
  describeWindow,
  listModels,
  nameSlot,
} from "../models/model-words.ts";
import { Badge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { formatDuration, formatMoney, formatNumber } from "../components/numbers.ts";
import { Page as Frame, Section } from "../components/page.tsx";
import { ScopeNote } from "../components/scope-note.tsx";
import { ErrorNote, Loaded } from "../components/states.tsx";
import { useAttempt } from "../components/use-attempt.ts";
import { type Answer, call } from "../data/api.ts";
import { useResource } from "../data/resource.ts";
import { may } from "../data/sign-in.ts";
import { hrefOf } from "../pages.ts";
import "../styles/admin.css";

export function Page() {
  const models = useResource("GET /v1/models", { query: {} });
  return (
    <Frame
      title="Models"
      lead={
        <>
          The operator names the models of this server. You choose the one of new sessions in{" "}
          <a href={hrefOf("settings")}>Settings</a>, and that of one session in its chat.
        </>
      }
    >
      <ScopeNote scope="admin" to="test models" />
      <Loaded of={models}>
        {(value) => {
          const list = value as ModelList;
          return (
            <>
              <Section title="Models">
                <ul class="items" aria-label="Models">
                  {listModels(list).map((model) => (
                    <ModelRow key={model.name} model={model} />
                  ))}
                </ul>
              </Section>
              <Section title="Kinds of work">
                <SlotTable slots={list.slots} />
              </Section>
            </>
          );
        }}
      </Loaded>
    </Frame>
  );
}

function ModelRow({ model }: { model: ListedModel }) {
  const { name, isDefault, isChoice, efforts } = model;
  const { isBusy, error, run } = useAttempt();
  const [result, setResult] = useState<Answer<"POST /v1/models/{model}/test">>();
  const test = () =>
    run(async () => setResult(await call("POST /v1/models/{model}/test", { params: { model: name } })));
  return (
    <li>
      <div class="item-head">
        <div class="item-text">
          <h3 class="mono" dir="auto">
            {name}
          </h3>
          <p class="item-facts">
            {isDefault && <Badge tone="accent">Default</Badge>}
            {!isChoice && <Badge>Not for sessions</Badge>}
            <span>Window: {describeWindow(model)}</span>
            <span>Price: {describePrice(model)}</span>
            {efforts && efforts.length > 0 && <span>Effort: {efforts.join(", ")}</span>}
          </p>
        </div>
        {may("admin") && (
          <Button isBusy={isBusy} onClick={() => void test()}>
            Test<span class="visually-hidden"> {name}</span>
          </Button>
        )}
      </div>
      {error !== undefined && <ErrorNote error={error} />}
      <div role="status" class="stack">
        {result && (
          <>
            <p class="muted small">
              {formatDuration(result.ms)}, {formatNumber(result.spent.tokens)} tokens, {formatMoney(result.spent.usd)}
            </p>
            <CheckLines label={`Test of ${name}`} lines={result.lines} />
          </>
        )}
      </div>
    </li>
  );
}

function SlotTable({ slots }: { slots: Slot[] }) {
  return (
    <div class="table-frame" tabIndex={0} role="group" aria-label="Table: kinds of work">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Work</th>
            <th scope="col">Model</th>
            <th scope="col">If it fails</th>
          </tr>
        </thead>
        <tbody>
          {slots.map(({ slot, own, models: [first, ...others] }) => (
            <tr key={slot}>
              <th scope="row">{nameSlot(slot)}</th>
              <td>
                {slot === "turn" || own ? (
                  <span class="mono">{first?.name ?? "none"}</span>
                ) : (
                  <span class="muted">as in conversations</span>
                )}
              </td>
              <td class="mono">{slot === "turn" || own ? others.map(({ name }) => name).join(", ") || "–" : "–"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
