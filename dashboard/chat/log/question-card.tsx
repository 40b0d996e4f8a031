// What a parked turn waits for, as a card: a call to allow, questions to answer, sessions that work for it.
import { useId, useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { Icon } from "../../components/icon.tsx";
import { ErrorNote } from "../../components/states.tsx";
import { Time } from "../../components/time.tsx";
import type { Asked as AskedOf } from "../../../cli/connection/routes.ts";
import { call } from "../../data/api.ts";
import { hrefOf } from "../../pages.ts";
import type { QuestionItem } from "../session/items.ts";

type Decision = AskedOf<"POST /v1/sessions/{session}/approvals/{approval}">["body"];
type Asked = QuestionItem["question"];
type Approval = Extract<Asked, { for: "approval" }>;
type Clarify = Extract<Asked, { for: "clarify" }>;

export function QuestionCard({ session, item, isOpen }: { session: string; item: QuestionItem; isOpen: boolean }) {
  const { question, text } = item;
  if (question.for === "children") return <Children question={question} isOpen={isOpen} />;
  if (question.for === "client") return <p class="turn-note muted">{text}</p>;
  if (!isOpen) return <PastQuestion question={question} />;
  return question.for === "approval" ? (
    <ApprovalCard session={session} question={question} />
  ) : (
    <ClarifyCard session={session} question={question} />
  );
}

/** Sends a decision. While it is on its way, and once it is there, the buttons are off. */
function useDecision(session: string, approval: string) {
  const [state, setState] = useState<"open" | "sending" | "sent">("open");
  const [error, setError] = useState<unknown>();
  return {
    isBusy: state !== "open",
    error,
    decide: async (body: Decision) => {
      setState("sending");
      setError(undefined);
      try {
        await call("POST /v1/sessions/{session}/approvals/{approval}", { params: { session, approval }, body });
        setState("sent");
        // The card is about to go. Where a keyboard lies over the page, it opens when the reader wants it.
        if (matchMedia("(hover: hover)").matches) document.querySelector<HTMLElement>(".composer textarea")?.focus();
      } catch (failure) {
        setError(failure);
        setState("open");
      }
    },
  };
}

function ApprovalCard({ session, question }: { session: string; question: Approval }) {
  const { id, summary, reasons, covers, until } = question;
  const { isBusy, error, decide } = useDecision(session, id);
  const [reason, setReason] = useState("");
  return (
    <section class="ask ask-open" aria-label="The agent asks to run something">
      <h2>
        <Icon name="warning" /> May this run?
      </h2>
      <pre tabIndex={0} class="ask-what" dir="auto">
        {summary}
      </pre>
      {reasons.length > 0 && (
        <ul class="ask-reasons">
          {reasons.map((one) => (
            <li key={one} dir="auto">
              {one}
            </li>
          ))}
        </ul>
      )}
      {covers !== null && (
        <p class="muted small">
          For the session, or always, also allows: <code dir="auto">{covers}</code>
        </p>
      )}
      {error !== undefined && <ErrorNote error={error} />}
      <div class="ask-actions">
        <Button kind="primary" isBusy={isBusy} onClick={() => void decide({ approve: true, scope: "once" })}>
          Allow once
        </Button>
        {covers !== null && (
          <>
            <Button isBusy={isBusy} onClick={() => void decide({ approve: true, scope: "session" })}>
              Allow for this session
            </Button>
            <Button isBusy={isBusy} onClick={() => void decide({ approve: true, scope: "always" })}>
              Always allow
            </Button>
          </>
        )}
      </div>
      <div class="ask-actions">
        <input
          class="input grow"
          aria-label="Why not? The agent reads it."
          placeholder="Why not? The agent reads it."
          dir="auto"
          value={reason}
          onInput={(event) => setReason(event.currentTarget.value)}
        />
        <Button
          isBusy={isBusy}
          onClick={() => void decide({ approve: false, ...(reason.trim() !== "" && { reason: reason.trim() }) })}
        >
          Refuse
        </Button>
      </div>
      <p class="muted small">
        Without an answer it is refused <Time at={until} />.
      </p>
    </section>
  );
}

interface Given {
  choices: number[];
  text: string;
}

function ClarifyCard({ session, question }: { session: string; question: Clarify }) {
  const { id, questions, until } = question;
  const { isBusy, error, decide } = useDecision(session, id);
  const [given, setGiven] = useState<Given[]>(() => questions.map(() => ({ choices: [], text: "" })));
  const isReady = given.every(({ choices, text }) => choices.length > 0 || text.trim() !== "");
  const submit = (event: Event) => {
    event.preventDefault();
    const answers = given.map(({ choices, text }) => ({
      ...(choices.length > 0 && { choices: choices.map((place) => place + 1) }),
      ...(text.trim() !== "" && { text: text.trim() }),
    }));
    void decide({ answers });
  };
  return (
    <form class="ask ask-open" aria-label="The agent asks" onSubmit={submit}>
      {questions.map((one, at) => (
        <Question key={at} question={one} given={given[at]!} onGive={(next) => setGiven(given.with(at, next))} />
      ))}
      {error !== undefined && <ErrorNote error={error} />}
      <div class="ask-actions">
        <Button type="submit" kind="primary" isBusy={isBusy} disabled={!isReady}>
          Answer
        </Button>
        <Button isBusy={isBusy} onClick={() => void decide({ approve: false })}>
          Let the agent decide
        </Button>
      </div>
      <p class="muted small">
        Without an answer the agent decides <Time at={until} />.
      </p>
    </form>
  );
}

function Question({
  question: { question, choices, multiSelect },
  given,
  onGive,
}: {
  question: Clarify["questions"][number];
  given: Given;
  onGive: (given: Given) => void;
}) {
  const name = useId();
  const choose = (place: number, isChosen: boolean) => {
    const others = multiSelect ? given.choices.filter((one) => one !== place) : [];
    onGive({ ...given, choices: isChosen ? [...others, place].toSorted((a, b) => a - b) : others });
  };
  return (
    <fieldset class="ask-question">
      <legend dir="auto">{question}</legend>
      {choices.map((choice, place) => (
        <label key={place} class="check">
          <input
            type={multiSelect ? "checkbox" : "radio"}
            name={name}
            checked={given.choices.includes(place)}
            onChange={(event) => choose(place, event.currentTarget.checked)}
          />
          <span dir="auto">{choice}</span>
        </label>
      ))}
      <label class="visually-hidden" for={`${name}-text`}>
        Your own words: {question}
      </label>
      <input
        id={`${name}-text`}
        class="input"
        dir="auto"
        placeholder={choices.length > 0 ? "Or in your own words" : "Your answer"}
        value={given.text}
        onInput={(event) => onGive({ ...given, text: event.currentTarget.value })}
      />
    </fieldset>
  );
}

function PastQuestion({ question }: { question: Approval | Clarify }) {
  const lines = question.for === "approval" ? [question.summary] : question.questions.map((one) => one.question);
  return (
    <div class="turn-note muted">
      {lines.map((line, at) => (
        <p key={at} dir="auto">
          {question.for === "approval" ? "Asked to run: " : "Asked: "}
          {line}
        </p>
      ))}
    </div>
  );
}

function Children({ question, isOpen }: { question: Extract<Asked, { for: "children" }>; isOpen: boolean }) {
  return (
    <div class="ask" role="group" aria-label="Delegated sessions">
      <p class="muted small">{isOpen ? "Works in sessions of their own:" : "Worked in sessions of their own:"}</p>
      <ul>
        {question.tasks.map(({ session, goal }) => (
          <li key={session}>
            <a href={hrefOf("chat", session)} dir="auto">
              {goal}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
