// Where the answer of a run goes, as the text that blueprints and jobs share.
import { Field } from "../components/field.tsx";
import { useResource } from "../data/resource.ts";

const CHAT = "chat:";

export function DeliverField({
  label = "Where the answer goes",
  value,
  onChange,
}: {
  label?: string;
  /** As `toTargetText`. */
  value: string;
  onChange(value: string): void;
}) {
  const channels = useResource("GET /v1/channels", {}).value?.channels ?? [];
  const platforms = channels.filter(({ channel }) => channel !== null).map(({ platform }) => `home:${platform}`);
  if (value.startsWith("home:") && !platforms.includes(value)) platforms.push(value);
  const isChat = value.startsWith(CHAT);
  return (
    <>
      <Field label={label}>
        {(props) => (
          <select
            {...props}
            value={isChat ? CHAT : value}
            onChange={({ currentTarget }) => onChange(currentTarget.value)}
          >
            <option value="none">Nowhere: it stays with the run</option>
            <option value="home">To the home chat of the channel used last</option>
            {platforms.map((platform) => (
              <option key={platform} value={platform}>
                To the home chat on {platform.slice(5)}
              </option>
            ))}
            <option value={CHAT}>To another chat…</option>
            <option value="hooks">To the outbound webhooks</option>
          </select>
        )}
      </Field>
      {isChat && (
        <Field label="Id of the chat" hint="The page Channels lists the chats of each platform.">
          {(props) => (
            <input
              {...props}
              required
              pattern="\S{1,100}"
              spellcheck={false}
              value={value.slice(CHAT.length)}
              onInput={({ currentTarget }) => onChange(`${CHAT}${currentTarget.value}`)}
            />
          )}
        </Field>
      )}
    </>
  );
}
