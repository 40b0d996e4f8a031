// What a person chooses for a session, and its figures: title, model, reasoning, the size of its prompt, its cost, its children.
import { useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { Facts } from "../../components/facts.tsx";
import { Field } from "../../components/field.tsx";
import { countOf, formatMoney, formatNumber } from "../../components/numbers.ts";
import { Loaded } from "../../components/states.tsx";
import { Time } from "../../components/time.tsx";
import { toast, toastError } from "../../components/toasts.tsx";
import type { Asked } from "../../../cli/connection/routes.ts";
import { change, useResource } from "../../data/resource.ts";
import { hrefOf } from "../../pages.ts";
import { Allowances } from "./allowances.tsx";
import { Children } from "./children.tsx";
import type { Detail, SessionView } from "../session/session-view.ts";

const SAVED = "Saved. It counts from the next message on.";

type Changed = Asked<"PATCH /v1/sessions/{session}">["body"];

export function Details({ view }: { view: SessionView }) {
  const detail = view.detail.value;
  if (!detail) return null;
  const { session } = view;
  const choose = async (body: Changed, said: string) => {
    try {
      view.setDetail(await change("PATCH /v1/sessions/{session}", { params: { session }, body }, ["/v1/sessions?"]));
      toast(said);
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <div class="details-panel">
      <Title title={detail.title} onRename={(title) => choose({ title }, "Renamed.")} />
      <Choices detail={detail} choose={choose} />
      <Figures view={view} detail={detail} />
      <Allowances session={session} />
      <Children session={session} />
    </div>
  );
}

function Title({ title, onRename }: { title: string; onRename: (title: string) => Promise<void> }) {
  /** `null`: as it is. A title may come while another one is written. */
  const [written, setWritten] = useState<string | null>(null);
  const next = written ?? title;
  const submit = (event: Event) => {
    event.preventDefault();
    void onRename(next.trim()).then(() => setWritten(null));
  };
  return (
    <form onSubmit={submit}>
      <Field label="Title">
        {(control) => (
          <input
            {...control}
            dir="auto"
            maxLength={200}
            value={next}
            onInput={(event) => setWritten(event.currentTarget.value)}
          />
        )}
      </Field>
      {next.trim() !== title && next.trim() !== "" && (
        <Button type="submit" kind="primary">
          Rename
        </Button>
      )}
    </form>
  );
}

function Choices({ detail, choose }: { detail: Detail; choose: (body: Changed, said: string) => Promise<void> }) {
  const list = useResource("GET /v1/models", {});
  return (
    <Loaded of={list}>
      {(answer) => {
        const models = "models" in answer ? answer.models : [];
        const main = models.find(({ isDefault }) => isDefault);
        const chosen = models.find(({ name }) => name === detail.model) ?? main;
        const efforts = chosen?.efforts ?? ALL_EFFORTS;
        return (
          <>
            <Field label="Model" hint="From the next message on.">
              {(control) => (
                <select
                  {...control}
                  value={detail.model ?? ""}
                  onChange={(event) => void choose({ model: event.currentTarget.value || null }, SAVED)}
                >
                  <option value="">{main ? `Default (${main.name})` : "Default"}</option>
                  {models.map(({ name }) => (
                    <option key={name} value={name}>
                      {name}
                    </option>
                  ))}
                </select>
              )}
            </Field>
            <Field label="Reasoning">
              {(control) => (
                <select
                  {...control}
                  value={detail.effort ?? ""}
                  onChange={(event) =>
                    void choose({ effort: (event.currentTarget.value || null) as Changed["effort"] }, SAVED)
                  }
                >
                  <option value="">Default</option>
                  {efforts.map((effort) => (
                    <option key={effort} value={effort}>
                      {effort}
                    </option>
                  ))}
                </select>
              )}
            </Field>
          </>
        );
      }}
    </Loaded>
  );
}

const ALL_EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

function Figures({ view: { session }, detail }: { view: SessionView; detail: Detail }) {
  const prompt = useResource("GET /v1/sessions/{session}/prompt", { params: { session } });
  const { usage, createdAt, turns } = detail;
  return (
    <>
      <section aria-label="Figures">
        <h2>Figures</h2>
        <Facts
          facts={{
            Begun: <Time at={createdAt} isExact />,
            Turns: formatNumber(turns.at(-1)?.n ?? 0),
            "Model calls": formatNumber(usage.calls),
            Tokens: formatNumber(usage.tokens),
            Cost: usage.usd > 0 ? formatMoney(usage.usd) : "none known",
          }}
        />
        <a href={hrefOf("usage")}>All usage</a>
      </section>
      <section aria-label="Prompt">
        <h2>What every call repeats</h2>
        <Loaded of={prompt}>
          {({ sections, tools, total }) => (
            <Facts
              facts={{
                ...Object.fromEntries(sections.map(({ name, tokens }) => [name, formatNumber(tokens)])),
                [countOf(tools.count, "tool")]: formatNumber(tools.tokens),
                "Tokens, about": <strong>{formatNumber(total.tokens)}</strong>,
              }}
            />
          )}
        </Loaded>
      </section>
    </>
  );
}
