// Chat: one conversation, or the beginning of a new one. The composer is there before anything is read.
import { useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { ErrorNote } from "../components/states.tsx";
import { call } from "../data/api.ts";
import { type PageProps, hrefOf } from "../pages.ts";

export function Page({ rest: [session] }: PageProps) {
  const [text, setText] = useState("");
  const [error, setError] = useState<unknown>();
  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (text.trim() === "") return;
    try {
      const id = session ?? (await call("POST /v1/sessions", { body: {} })).session;
      await call("POST /v1/sessions/{session}/messages", { params: { session: id }, body: { text } });
      setText("");
      location.hash = hrefOf("chat", id);
    } catch (failure) {
      setError(failure);
    }
  }
  return (
    <div class="chat">
      <h1 class="visually-hidden">Chat</h1>
      <div role="log" aria-label="Conversation" tabIndex={0} />
      {error !== undefined && <ErrorNote error={error} />}
      <form onSubmit={(event) => void submit(event)}>
        <textarea
          class="input"
          aria-label="Message"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <Button type="submit" kind="primary" icon="send">
          Send
        </Button>
      </form>
    </div>
  );
}
