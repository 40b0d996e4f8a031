// Keys: who may use this profile. Its keys, the browsers that are signed in, and the log of what each has changed.
import { AuditLog } from "../keys/audit-log.tsx";
import { KeyList } from "../keys/key-list.tsx";
import { SignInList } from "../keys/sign-in-list.tsx";
import { Page as Frame, Tabs } from "../components/page.tsx";
import { ScopeNote } from "../components/scope-note.tsx";
import { useList } from "../data/list.ts";
import { may } from "../data/sign-in.ts";
import { type PageProps, hrefOf } from "../pages.ts";
import "../styles/admin.css";

const PARTS = [
  { slug: "", name: "Keys" },
  { slug: "browsers", name: "Browsers" },
  { slug: "log", name: "Audit log" },
];

export function Page({ rest: [given = ""] }: PageProps) {
  const part = PARTS.some(({ slug }) => slug === given) ? given : "";
  const tabs = PARTS.map(({ slug, name }) => ({
    name,
    href: slug ? hrefOf("keys", slug) : hrefOf("keys"),
    isCurrent: slug === part,
  }));
  return (
    <Frame
      title="Keys"
      lead="Programs use this profile with a key. A browser exchanges one for a sign-in, and does not keep it."
      tabs={may("admin") && <Tabs label="Parts of Keys" tabs={tabs} />}
    >
      <ScopeNote scope="admin" to="see and change keys" />
      {may("admin") && <Part part={part} />}
    </Frame>
  );
}

function Part({ part }: { part: string }) {
  // The names of all keys are needed, and a profile has few.
  const keys = useList("GET /v1/keys", { query: {} }, (page) => page.keys, { isWhole: true });
  switch (part) {
    case "browsers":
      return <SignInList keys={keys.items} />;
    case "log":
      return <AuditLog keys={keys.items} />;
    default:
      return <KeyList keys={keys} />;
  }
}
