// Channels: the messaging platforms that reach the agent, who may talk there, and what was sent.
import { Badge } from "../components/badge.tsx";
import { Page as Frame, Tabs } from "../components/page.tsx";
import { Loaded } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import { ChannelDeliveries } from "../channels/channel-deliveries.tsx";
import { ChannelPage } from "../channels/channel-page.tsx";
import type { Platform } from "../channels/platform.ts";
import { useResource } from "../data/resource.ts";
import { type PageProps, hrefOf } from "../pages.ts";

export function Page({ rest: [part] }: PageProps) {
  const channels = useResource("GET /v1/channels", {});
  const tabs = [
    { name: "Platforms", href: hrefOf("channels"), isCurrent: part === undefined },
    { name: "Deliveries", href: hrefOf("channels", "deliveries"), isCurrent: part === "deliveries" },
  ];
  const chosen = channels.value?.channels.find(({ platform }) => platform === part);
  if (chosen) return <ChannelPage key={chosen.platform} platform={chosen} />;
  return (
    <Frame
      title="Channels"
      lead="Talk to the agent from a messaging platform. Nobody may, until you say so."
      tabs={<Tabs label="Parts of Channels" tabs={tabs} />}
    >
      {part === "deliveries" ? (
        <ChannelDeliveries />
      ) : (
        <Loaded of={channels}>{({ channels: all }) => <Platforms all={all} />}</Loaded>
      )}
    </Frame>
  );
}

function Platforms({ all }: { all: Platform[] }) {
  const set = all.filter(({ channel }) => channel);
  return (
    <>
      {set.length > 0 && <PlatformCards label="Set up" platforms={set} />}
      <h2 class="group-title">{set.length > 0 ? "More platforms" : "Choose a platform to set up"}</h2>
      <PlatformCards label="Not set up" platforms={all.filter(({ channel }) => !channel)} />
    </>
  );
}

function PlatformCards({ label, platforms }: { label: string; platforms: Platform[] }) {
  return (
    <ul class="cards" aria-label={label}>
      {platforms.map(({ platform, title, channel, capabilities }) => (
        <li key={platform} class="card">
          <div class="card-head">
            <a class="card-link" href={hrefOf("channels", platform)}>
              {title}
            </a>
            {channel && <ChannelState channel={channel} />}
          </div>
          {!channel && <p class="muted small">{describeCapabilities(capabilities)}</p>}
          {channel && (
            <p class="muted small">
              {channel.lastIn === null ? (
                "No message came in yet"
              ) : (
                <>
                  Last message: <Time at={channel.lastIn} />
                </>
              )}
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}

/** What a platform can do, in a few words. */
function describeCapabilities(can: Platform["capabilities"]): string {
  const words = [
    can.groups && "groups",
    can.threads && "threads",
    can.buttons > 0 && "buttons",
    (can.filesIn || can.filesOut) && "files",
    can.edit && "streamed answers",
  ].filter(Boolean);
  return words.length === 0 ? "Texts" : `Texts, ${words.join(", ")}`;
}

/** Saved is not yet connected, and says so. */
function ChannelState({
  channel: { state, lastError },
}: {
  channel: Pick<NonNullable<Platform["channel"]>, "state" | "lastError">;
}) {
  if (lastError) return <Badge tone="bad">Has an error</Badge>;
  return state === "verified" ? <Badge tone="good">Connected</Badge> : <Badge tone="warn">Saved, not confirmed</Badge>;
}
