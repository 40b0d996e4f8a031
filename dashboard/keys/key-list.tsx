// The keys of the profile: made and rotated with a secret that is shown once, changed and revoked.
import { useState } from "preact/hooks";
import { Badge } from "../components/badge.tsx";
import { quote } from "../components/hidden-text.ts";
import { Button } from "../components/button.tsx";
import { confirm } from "../components/dialog.tsx";
import { SecretDialog } from "../components/secret-dialog.tsx";
import { Listed } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import { toast } from "../components/toasts.tsx";
import { call } from "../data/api.ts";
import { type List, useList } from "../data/list.ts";
import { useResource } from "../data/resource.ts";
import { ChangeKey, MakeKey, RotateKey } from "./key-forms.tsx";
import { type KeyInfo, type SignInInfo, isExpired, nameKey } from "./keys-words.ts";

export function KeyList({ keys }: { keys: List<KeyInfo> }) {
  const [isMaking, setMaking] = useState(false);
  // Nowhere but here, and gone when the dialog closes.
  const [secret, setSecret] = useState<{ name: string; key: string }>();
  const signIn = useOwnSignIn();
  const end = signIn?.expiresAt ?? null;
  return (
    <>
      <div class="toolbar toolbar-end">
        <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
          Make a key
        </Button>
      </div>
      <Listed of={keys} empty={null}>
        {(items) => (
          <ul class="items" aria-label="Keys">
            {items.map((key) => (
              <KeyRow
                key={key.id}
                info={key}
                isOwn={key.id === signIn?.key}
                end={end}
                reload={keys.reload}
                show={setSecret}
              />
            ))}
          </ul>
        )}
      </Listed>
      {isMaking && <MakeKey end={end} onClose={() => setMaking(false)} show={setSecret} reload={keys.reload} />}
      {secret && (
        <SecretDialog
          title={`The secret of ${quote(secret.name)}`}
          secret={secret.key}
          text="Give it to the program as its key. It goes into the header Authorization, after the word Bearer."
          onClose={() => setSecret(undefined)}
        />
      )}
    </>
  );
}

/** The sign-in of this browser, once it is found in the list. */
function useOwnSignIn(): SignInInfo | undefined {
  const { value: who } = useResource("GET /v1/sign-in", {});
  const list = useList("GET /v1/sign-ins", { query: {} }, ({ signIns }) => signIns, { isWhole: true });
  return list.items.find(({ id }) => id === who?.id);
}

interface KeyRowProps {
  info: KeyInfo;
  /** Of this browser's sign-in, in ms. `null`: unknown. */
  end: number | null;
  /** This browser is signed in by it. */
  isOwn: boolean;
  reload(): Promise<void>;
  show(secret: { name: string; key: string }): void;
}

function KeyRow({ info, end, isOwn, reload, show }: KeyRowProps) {
  const [form, setForm] = useState<"change" | "rotate">();
  const close = () => setForm(undefined);
  const name = nameKey(info);
  const revoke = () =>
    confirm({
      title: `Revoke ${quote(name)}?`,
      text: (
        <>
          <p>
            Whatever uses this key stops working within a minute, and browsers that are signed in by it are signed out.
            A revoked key cannot be restored.
          </p>
          {isOwn && <p class="note note-warn">This browser is signed in by this key: you will be signed out.</p>}
        </>
      ),
      action: "Revoke",
      isDanger: true,
      run: async () => {
        await call("DELETE /v1/keys/{id}", { params: { id: info.id } });
        toast("The key was revoked.");
        void reload();
      },
    });
  return (
    <li>
      <div class="item-head">
        <div class="item-text">
          <h2 class="item-title" dir="auto">
            {name}
          </h2>
          <p class="item-facts">
            {info.scopes.map((scope) => (
              <Badge key={scope} tone={scope === "admin" ? "accent" : "plain"}>
                {scope}
              </Badge>
            ))}
            {isOwn && <Badge tone="good">This browser's</Badge>}
            {isExpired(info, Date.now()) && <Badge tone="bad">Expired</Badge>}
          </p>
        </div>
        <div class="item-actions">
          <Button onClick={() => setForm("change")}>Change</Button>
          <Button onClick={() => setForm("rotate")}>Rotate</Button>
          <Button onClick={revoke}>Revoke</Button>
        </div>
      </div>
      <p class="item-facts">
        <span>
          {info.usedAt === undefined ? (
            "Never used"
          ) : (
            <>
              Last used <Time at={info.usedAt} />
            </>
          )}
        </span>
        <span>
          Made <Time at={info.createdAt} />
        </span>
        <span>
          {info.expiresAt === undefined ? (
            "Does not expire"
          ) : (
            <>
              Expires <Time at={info.expiresAt} isExact />
            </>
          )}
        </span>
        {info.oldSecretUntil !== undefined && info.oldSecretUntil > Date.now() && (
          <span>
            The old secret works until <Time at={info.oldSecretUntil} isExact />
          </span>
        )}
        <code>{info.id}</code>
      </p>
      {form === "change" && <ChangeKey info={info} end={end} onClose={close} reload={reload} />}
      {form === "rotate" && <RotateKey info={info} end={end} onClose={close} show={show} reload={reload} />}
    </li>
  );
}
