// One platform: how it is set up, whether it works, and who may talk there.
import { useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { CopyButton } from "../components/code.tsx";
import { confirm } from "../components/dialog.tsx";
import { Facts } from "../components/facts.tsx";
import { Page as Frame, Section } from "../components/page.tsx";
import { Time } from "../components/time.tsx";
import { useAction } from "../components/use-action.ts";
import { type Answer, call } from "../data/api.ts";
import { change, invalidate } from "../data/resource.ts";
import { may } from "../data/sign-in.ts";
import { ChannelChats } from "./channel-chats.tsx";
import { ChannelFields } from "./channel-fields.tsx";
import { ChannelOptions } from "./channel-options.tsx";
import { ChannelPeople } from "./channel-people.tsx";
import type { Platform } from "./platform.ts";

type Test = Answer<"POST /v1/channels/{platform}/test">;

export function ChannelPage({ platform }: { platform: Platform }) {
  const { platform: id, title, steps, address, channel } = platform;
  return (
    <Frame
      title={title}
      lead={
        <>
          <a href="#/channels">All channels</a>
          {channel?.self && <>. Connected as {channel.self.name}.</>}
        </>
      }
      actions={channel && may("admin") && <ChannelActions platform={platform} />}
    >
      {channel?.lastError && (
        <p class="note note-bad" dir="auto">
          <Time at={channel.lastError.at} />: {channel.lastError.message}
        </p>
      )}
      <Section title="Set up">
        <ol class="steps">
          {steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
        <Facts
          facts={{
            "Address for the platform":
              address === null ? (
                "This server has no public address. Ask its operator to set `publicUrl`."
              ) : (
                <span class="secret">
                  <code>{address}</code>
                  <CopyButton text={address} label="Copy the address" />
                </span>
              ),
          }}
        />
        {may("admin") ? (
          <ChannelFields platform={platform} />
        ) : (
          <p class="muted">Your key may not change channels: that needs the scope admin.</p>
        )}
      </Section>
      {channel && (
        <>
          <Section title="Who may talk, and how">
            <ChannelOptions platform={id} options={channel.options} />
          </Section>
          <ChannelPeople platform={id} />
          <ChannelChats platform={id} />
        </>
      )}
    </Frame>
  );
}

function ChannelActions({ platform: { platform, title } }: { platform: Platform }) {
  const test = useAction();
  const [tested, setTested] = useState<Test>();
  const params = { platform };
  const ask = () =>
    test.run(async () => {
      setTested(await call("POST /v1/channels/{platform}/test", { params, body: {} }));
      await invalidate("/v1/channels");
    });
  const remove = () =>
    confirm({
      title: `Remove ${title}?`,
      text: (
        <p>Its secrets, people and chats are erased, and messages there are no longer answered. The sessions stay.</p>
      ),
      action: "Remove",
      isDanger: true,
      async run() {
        await change("DELETE /v1/channels/{platform}", { params });
        location.hash = "#/channels";
      },
    });
  return (
    <>
      {tested && <span role="status">{describeTest(tested)}</span>}
      <Button kind="primary" isBusy={test.isBusy} onClick={ask}>
        Test
      </Button>
      <Button icon="trash" onClick={remove}>
        Remove
      </Button>
    </>
  );
}

export function describeTest({ verified, self, registered, error }: Test): string {
  if (error) return error.message;
  if (!verified) return "The platform has not confirmed the fields.";
  const as = self ? ` as ${self.name}` : "";
  return registered === false ? `Connected${as}, but it does not know the address yet.` : `Connected${as}.`;
}
