// Signing in with a key.
import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "./components/button.tsx";
import { Field } from "./components/field.tsx";
import { ErrorNote } from "./components/states.tsx";
import { useAttempt } from "./components/use-attempt.ts";
import { signIn, signInWith } from "./data/sign-in.ts";

export function SignInPage() {
  const [key, setKey] = useState("");
  const { isBusy, error, run } = useAttempt();
  const state = signIn.value;
  const why = state.state === "out" ? state.why : undefined;

  const field = useRef<HTMLInputElement>(null);

  async function exchange(secret: string): Promise<void> {
    if (await run(() => signInWith(secret))) setKey("");
  }

  useEffect(() => {
    document.title = "Sign in · Talaria";
    field.current?.focus();
  }, []);

  const submit = (event: Event) => {
    event.preventDefault();
    if (key.trim() !== "") void exchange(key.trim());
  };
  return (
    <main class="sign-in">
      <form class="sign-in-card" onSubmit={submit}>
        <h1>Talaria</h1>
        <p class="muted">Sign in with a key of your profile. The browser keeps a cookie, not the key.</p>
        <Field label="Key">
          {(props) => (
            <input
              {...props}
              ref={field}
              type="password"
              autocomplete="current-password"
              spellcheck={false}
              value={key}
              onInput={(event) => setKey(event.currentTarget.value)}
            />
          )}
        </Field>
        {error !== undefined ? <ErrorNote error={error} /> : why !== undefined && <p class="note">{why}</p>}
        <Button type="submit" kind="primary" isBusy={isBusy}>
          Sign in
        </Button>
        <p class="muted small">
          Where is my key? <code>npm start</code> prints a link that signs you in once, and{" "}
          <code>npm run chat -- dashboard</code> prints another. On a server, ask its operator.
        </p>
      </form>
    </main>
  );
}
