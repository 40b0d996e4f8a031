// What was said on the open card.
import { useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { Field } from "../../components/field.tsx";
import { Markdown } from "../../components/markdown.tsx";
import { ErrorNote } from "../../components/states.tsx";
import { Time } from "../../components/time.tsx";
import { useAttempt } from "../../components/use-attempt.ts";
import { call } from "../../data/api.ts";
import { may } from "../../data/sign-in.ts";
import { say } from "../card-changes.ts";
import { type CardDetail, nameAuthor } from "../cards.ts";

export function Comments({
  board,
  card,
  comments,
  reload,
}: {
  board: string;
  card: string;
  comments: CardDetail["comments"];
  reload(): Promise<void>;
}) {
  const [text, setText] = useState("");
  const { isBusy, error, run } = useAttempt();
  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    await run(async () => {
      await call("POST /v1/boards/{board}/cards/{card}/comments", { params: { board, card }, body: { text } });
      setText("");
      say("The comment was added.");
      await reload();
    });
  }
  return (
    <section class="drawer-part" aria-label="Comments">
      <h3>Comments</h3>
      {comments.length === 0 && <p class="muted">Nobody has said anything yet.</p>}
      <ol class="comments">
        {comments.map(({ n, author, at, text: said }) => (
          <li key={n} class="comment">
            <p class="muted small">
              <strong dir="auto">{nameAuthor(author)}</strong> <Time at={at} />
            </p>
            <Markdown text={said} />
          </li>
        ))}
      </ol>
      {may("write") && (
        <form class="drawer-form" onSubmit={(event) => void submit(event)}>
          <Field label="Comment" hint="Who works on the card next reads it as your word.">
            {(props) => (
              <textarea
                {...props}
                rows={3}
                maxLength={16_000}
                dir="auto"
                value={text}
                onInput={({ currentTarget }) => setText(currentTarget.value)}
              />
            )}
          </Field>
          <Button type="submit" isBusy={isBusy} disabled={text.trim() === ""}>
            Add comment
          </Button>
          {error !== undefined && <ErrorNote error={error} />}
        </form>
      )}
    </section>
  );
}
