// Signing in with the one-time code of a link (`#/sign-in/CODE`). A browser that is signed in to another profile asks first: anybody with a
// profile of this server can send a link to their own.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { navigate } from "wouter-preact/use-hash-location";
import { Button } from "./components/button.tsx";
import { Failure, Loading } from "./components/states.tsx";
import { signIn, signInByLink } from "./data/sign-in.ts";

/** `tlink_<profile>_<secret>`. */
function readProfile(code: string): string {
  return code.split("_")[1] ?? "";
}

export function SignInLink({ code }: { code: string }) {
  const [error, setError] = useState<unknown>();
  const hasBegun = useRef(false);
  const now = signIn.value;
  const isOther = now.state === "in" && now.profile !== readProfile(code);
  const mayExchange = now.state !== "unknown" && !isOther;

  async function exchange(): Promise<void> {
    hasBegun.current = true;
    setError(undefined);
    try {
      await signInByLink(code);
      // Not out of a document that another profile's replaces.
      if (signIn.peek().state !== "unknown") leave();
    } catch (failure) {
      setError(failure);
    }
  }

  // Once it is known who is signed in, since a late answer to that would undo the exchange. And once only: the exchange itself changes it.
  useEffect(() => {
    if (mayExchange && !hasBegun.current) void exchange();
  }, [mayExchange]);
  useEffect(() => {
    document.title = "Sign in · Talaria";
  }, []);

  if (error !== undefined) return frame(<Failure error={error} retry={() => void exchange()} />);
  if (!isOther) return <Loading />;
  return frame(
    <>
      <p>
        This link signs you in to another profile, <code>{readProfile(code)}</code>. You are signed in to{" "}
        <code>{now.profile}</code>. Go on only if the link is yours: what you write would reach that profile's owner.
      </p>
      <Button kind="primary" onClick={leave}>
        Stay signed in
      </Button>
      <Button onClick={() => void exchange()}>Sign in to the other profile</Button>
    </>,
  );
}

/** The code has no place in the address or in the history. */
function leave(): void {
  navigate("/chat", { replace: true });
}

function frame(children: ComponentChildren) {
  return (
    <main class="sign-in">
      <div class="sign-in-card">
        <h1>Sign in by link</h1>
        {children}
      </div>
    </main>
  );
}
