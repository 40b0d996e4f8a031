// Hub: skills of others. Found and looked at, installed, updated; where they are looked for.
import { Page as Frame, Tabs } from "../components/page.tsx";
import { Find } from "../hub/find.tsx";
import { InstalledSkills } from "../hub/installed.tsx";
import { LibraryPart } from "../hub/library.tsx";
import { Taps } from "../hub/taps.tsx";
import { type PageProps, hrefOf } from "../pages.ts";
import "../styles/skills.css";
import "../styles/hub.css";

const PARTS = [
  {
    part: "find",
    name: "Find",
    lead: "Skills that others have written. Each is shown and scanned before it is installed.",
  },
  {
    part: "installed",
    name: "Installed",
    lead: "Skills from outside: where they came from, and what changed there since.",
  },
  { part: "library", name: "Library", lead: "Skills that profiles of this deployment share with each other." },
  { part: "taps", name: "Taps", lead: "Where skills are looked for beside the public sources." },
] as const;

export function Page({ rest: [part] }: PageProps) {
  const shown = PARTS.find((one) => one.part === part) ?? PARTS[0];
  const tabs = PARTS.map((one) => ({
    ...{ name: one.name, isCurrent: one === shown },
    href: one === PARTS[0] ? hrefOf("hub") : hrefOf("hub", one.part),
  }));
  return (
    <Frame title="Hub" lead={shown.lead} tabs={<Tabs label="Parts of the hub" tabs={tabs} />}>
      {shown.part === "find" && <Find />}
      {shown.part === "installed" && <InstalledSkills />}
      {shown.part === "library" && <LibraryPart />}
      {shown.part === "taps" && <Taps />}
    </Frame>
  );
}
