// Webhooks: routes by which other systems send events to the agent, and addresses that get events of the agent.
import { Page as Frame, Tabs } from "../components/page.tsx";
import { Hooks } from "../webhooks/hooks.tsx";
import { HookDeliveries, WebhookDeliveries } from "../webhooks/webhook-deliveries.tsx";
import { Routes } from "../webhooks/routes.tsx";
import { type PageProps, hrefOf } from "../pages.ts";

export function Page({ rest: [part = "in", of] }: PageProps) {
  const tabs = [
    { name: "Coming in", href: hrefOf("webhooks"), isCurrent: part === "in" },
    { name: "Going out", href: hrefOf("webhooks", "out"), isCurrent: part === "out" },
  ];
  return (
    <Frame
      title="Webhooks"
      lead={
        part === "out"
          ? "Addresses of yours that get a request when something happens here."
          : "Routes by which other systems give the agent work."
      }
      tabs={<Tabs label="Directions" tabs={tabs} />}
    >
      {part === "out" ? (
        of === undefined ? (
          <Hooks />
        ) : (
          <HookDeliveries hook={of} />
        )
      ) : of === undefined ? (
        <Routes />
      ) : (
        <WebhookDeliveries webhook={of} />
      )}
    </Frame>
  );
}
