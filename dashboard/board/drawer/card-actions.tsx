// What the card's status allows, as buttons. What needs a word asks for it in a dialog.
import { useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { quote } from "../../components/hidden-text.ts";
import { confirm } from "../../components/dialog.tsx";
import { Field } from "../../components/field.tsx";
import { FormDialog } from "../../components/form-dialog.tsx";
import type { IconName } from "../../components/icon.tsx";
import { toastError } from "../../components/toasts.tsx";
import type { Route } from "../../../cli/connection/routes.ts";
import { call } from "../../data/api.ts";
import { AssigneeField } from "../assignee-field.tsx";
import { say } from "../card-changes.ts";
import { type Assignee, type CardDetail, type CardLine, STATUS_NAMES, type Step, stepsOf } from "../cards.ts";
import { type Block, BlockFields } from "../move-dialog.tsx";

type Card = CardDetail["card"];
type Action = Exclude<Step, "update"> | "specify" | "decompose";

interface Shape {
  name: string;
  icon: IconName;
  route: Extract<Route, `POST /v1/boards/{board}/cards/{card}/${string}`>;
  /** What it asks for: the name of the body's field, and its label. */
  asks?: { field: "summary" | "reason"; label: string; isOptional?: boolean };
  /** Why it is asked before. */
  warns?: string;
}

const CARD = "POST /v1/boards/{board}/cards/{card}";
const SHAPES: Record<Action, Shape> = {
  promote: { name: "Promote", icon: "play", route: `${CARD}/promote` },
  start: { name: "Start it yourself", icon: "play", route: `${CARD}/start` },
  complete: {
    name: "Complete",
    icon: "check",
    route: `${CARD}/complete`,
    asks: { field: "summary", label: "What was done" },
  },
  block: { name: "Block", icon: "stop", route: `${CARD}/block` },
  unblock: { name: "Unblock", icon: "play", route: `${CARD}/unblock` },
  request_review: {
    name: "Ask for a review",
    icon: "search",
    route: `${CARD}/request-review`,
    asks: { field: "summary", label: "What is to be judged" },
  },
  request_changes: {
    name: "Ask for changes",
    icon: "undo",
    route: `${CARD}/request-changes`,
    asks: { field: "reason", label: "What is wrong" },
  },
  reclaim: {
    name: "Take it back",
    icon: "undo",
    route: `${CARD}/reclaim`,
    asks: { field: "reason", label: "Why", isOptional: true },
  },
  cancel: {
    name: "Cancel",
    icon: "close",
    route: `${CARD}/cancel`,
    asks: { field: "reason", label: "Why it is not done" },
  },
  archive: {
    name: "Archive",
    icon: "archive",
    route: `${CARD}/archive`,
    warns: "It leaves the board. Its events and runs are kept for 30 days. Work on it is stopped.",
  },
  specify: { name: "Write it out", icon: "spark", route: `${CARD}/specify` },
  decompose: { name: "Divide it", icon: "branch", route: `${CARD}/decompose` },
};

interface CardActionsProps {
  board: string;
  card: Card;
  onChanged(card: CardLine): Promise<void>;
  onMove(): void;
  onDeleted(): void;
}

export function CardActions({ board, card, onChanged, onMove, onDeleted }: CardActionsProps) {
  const [asking, setAsking] = useState<Action | null>(null);
  const [busy, setBusy] = useState<Action | null>(null);
  const params = { board, card: card.id };
  const rough: Action[] = card.status === "triage" || card.status === "todo" ? ["specify", "decompose"] : [];
  const actions = [...rough, ...(stepsOf(card.status) as Action[])].filter(
    // A card that no run has handed over for review has nobody to give it back to.
    (action) => action !== "request_changes" || card.status === "review" || card.status === "running",
  );

  async function run(action: Action, body: object): Promise<void> {
    setBusy(action);
    try {
      // A model's plan takes longer than other requests.
      const signal = AbortSignal.timeout(300_000);
      const changed = (await call(SHAPES[action].route, { params, body, signal } as never)) as CardLine;
      say(`${quote(changed.title)} is in ${STATUS_NAMES[changed.status]} now.`);
      await onChanged(changed);
    } finally {
      setBusy(null);
    }
  }

  function begin(action: Action): void {
    const { name, asks, warns } = SHAPES[action];
    if (asks || action === "block") return setAsking(action);
    if (warns) {
      return confirm({ title: `${name} ${quote(card.title)}?`, text: warns, action: name, run: () => run(action, {}) });
    }
    void run(action, {}).catch(toastError);
  }

  const remove = () =>
    confirm({
      title: `Delete ${quote(card.title)}?`,
      text: "Its comments, runs and attachments are lost. This cannot be undone. To keep them, archive it.",
      action: "Delete card",
      isDanger: true,
      async run() {
        await call("DELETE /v1/boards/{board}/cards/{card}", { params });
        say("The card was deleted.");
        onDeleted();
      },
    });

  return (
    <div class="drawer-actions" role="group" aria-label="Actions">
      {card.status !== "archived" && (
        <Button icon="right" onClick={onMove}>
          Move to…
        </Button>
      )}
      {actions.map((action) => (
        <Button
          key={action}
          icon={SHAPES[action].icon}
          isBusy={busy === action}
          disabled={busy !== null && busy !== action}
          onClick={() => begin(action)}
        >
          {SHAPES[action].name}
        </Button>
      ))}
      {card.status !== "running" && (
        <Button icon="trash" onClick={remove}>
          Delete
        </Button>
      )}
      {busy !== null && (busy === "specify" || busy === "decompose") && (
        <p class="muted small" role="status">
          A model reads the card. This takes some seconds.
        </p>
      )}
      {asking && (
        <AskDialog
          action={asking}
          title={card.title}
          run={(body) => run(asking, body)}
          onClose={() => setAsking(null)}
        />
      )}
    </div>
  );
}

function AskDialog({
  action,
  title,
  run,
  onClose,
}: {
  action: Action;
  title: string;
  run(body: object): Promise<void>;
  onClose(): void;
}) {
  const { name, asks } = SHAPES[action];
  const [text, setText] = useState("");
  const [block, setBlock] = useState<Block>({ kind: "needs_input", reason: "" });
  const [reviewer, setReviewer] = useState<Assignee>(null);
  async function submit(): Promise<void> {
    const said = asks && text.trim() !== "" ? { [asks.field]: text } : {};
    await run(action === "block" ? block : action === "request_review" ? { ...said, reviewer } : said);
  }
  return (
    <FormDialog title={name} action={name} run={submit} onClose={onClose}>
      <p class="muted move-what" dir="auto">
        {title}
      </p>
      {action === "block" && <BlockFields value={block} onChange={setBlock} />}
      {asks && (
        <Field label={asks.label} hint={asks.isOptional ? "Optional" : undefined}>
          {(props) => (
            <textarea
              {...props}
              rows={4}
              autofocus
              required={!asks.isOptional}
              maxLength={asks.field === "summary" ? 16_000 : 4_000}
              dir="auto"
              value={text}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
            />
          )}
        </Field>
      )}
      {action === "request_review" && (
        <AssigneeField label="Reviewer" nobody="You, or any person" value={reviewer} onChange={setReviewer} />
      )}
    </FormDialog>
  );
}
