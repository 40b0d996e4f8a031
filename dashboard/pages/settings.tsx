// Settings: what a person sets for their agent, each part with an address of its own.
import { ApprovalSettings } from "../settings/approval-settings.tsx";
import { GeneralSettings } from "../settings/general-settings.tsx";
import { PersonalitySettings } from "../settings/personality-settings.tsx";
import { ToolSettings } from "../settings/tool-settings.tsx";
import { Page as Frame, Tabs } from "../components/page.tsx";
import { ThemeChoice } from "../components/theme-choice.tsx";
import { type PageProps, hrefOf } from "../pages.ts";
import "../styles/admin.css";

const PARTS = [
  { slug: "", name: "General", Part: GeneralSettings },
  { slug: "personalities", name: "Personalities", Part: PersonalitySettings },
  { slug: "tools", name: "Tools", Part: ToolSettings },
  { slug: "approvals", name: "Approvals", Part: ApprovalSettings },
];

export function Page({ rest: [given = ""] }: PageProps) {
  const { slug: current, Part } = PARTS.find(({ slug }) => slug === given) ?? PARTS[0]!;
  const tabs = PARTS.map(({ slug, name }) => ({
    name,
    href: slug ? hrefOf("settings", slug) : hrefOf("settings"),
    isCurrent: slug === current,
  }));
  return (
    <Frame
      title="Settings"
      lead="What is in force for this profile. You can go below what the operator of this server allows, never beyond it."
      actions={
        <div class="narrow-only">
          <ThemeChoice />
        </div>
      }
      tabs={<Tabs label="Parts of Settings" tabs={tabs} />}
    >
      <Part />
    </Frame>
  );
}
