// The browsers that are signed in, each with the key that it was signed in by.
import { Badge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { confirm } from "../components/dialog.tsx";
import { Empty, Listed, MoreButton } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import { toast } from "../components/toasts.tsx";
import { call } from "../data/api.ts";
import { useList } from "../data/list.ts";
import { useResource } from "../data/resource.ts";
import { type KeyInfo, type SignInInfo, nameKey } from "./keys-words.ts";

export function SignInList({ keys }: { keys: KeyInfo[] }) {
  const list = useList("GET /v1/sign-ins", { query: {} }, (page) => page.signIns);
  const { value: who } = useResource("GET /v1/sign-in", {});
  return (
    <>
      <Listed
        of={list}
        empty={
          <Empty icon="key" title="No browser is signed in">
            <p>Sign in with a key to see this page without sending the key with each request.</p>
          </Empty>
        }
      >
        {(items) => (
          <ul class="items" aria-label="Browsers">
            {items.map((one) => (
              <SignInRow key={one.id} info={one} keys={keys} isThis={one.id === who?.id} reload={list.reload} />
            ))}
          </ul>
        )}
      </Listed>
      <MoreButton of={list} />
    </>
  );
}

interface SignInRowProps {
  info: SignInInfo;
  keys: KeyInfo[];
  isThis: boolean;
  reload(): Promise<void>;
}

function SignInRow({ info, keys, isThis, reload }: SignInRowProps) {
  const key = keys.find(({ id }) => id === info.key);
  const end = () =>
    confirm({
      title: "End this sign-in?",
      text: isThis ? (
        <p>This is the browser that you use now: you will have to sign in again.</p>
      ) : (
        <p>The browser has to sign in again with a key. What it is doing is cut off within a minute.</p>
      ),
      action: "End sign-in",
      isDanger: true,
      run: async () => {
        await call("DELETE /v1/sign-ins/{signIn}", { params: { signIn: info.id } });
        toast("The sign-in was ended.");
        void reload();
      },
    });
  return (
    <li>
      <div class="item-head">
        <div class="item-text">
          <h2 class="item-title" dir="auto">
            {info.label || "A browser"}
          </h2>
          <p class="item-facts">
            <span dir="auto">By {key ? nameKey(key) : info.key}</span>
            {info.scopes.map((scope) => (
              <Badge key={scope}>{scope}</Badge>
            ))}
            {isThis && <Badge tone="good">This browser</Badge>}
          </p>
        </div>
        <Button onClick={end}>End sign-in</Button>
      </div>
      <p class="item-facts">
        <span>
          Last used <Time at={info.usedAt} />
        </span>
        <span>
          Signed in <Time at={info.createdAt} />
        </span>
        <span>
          Ends <Time at={info.expiresAt} isExact />
        </span>
      </p>
    </li>
  );
}
