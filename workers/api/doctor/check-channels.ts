// What a check-up says of a profile's channels and inbound webhooks, from what they have noted: it asks no platform. Called by run-doctor.ts.
import type { ChannelState } from "../../../core/schemas/channels/channel.ts";
import type { DoctorLine } from "../../../core/schemas/doctor.ts";
import type { InboundDelivery, WebhookInfo } from "../../../core/schemas/webhooks/webhook.ts";
import { bad, good, tell, warn } from "./lines.ts";

export const CHANNELS_FIX = "Look for the error in the Worker's log.";
const ADDRESS_FIX =
  "Set `publicUrl` in TALARIA_SETTINGS, or TALARIA_PUBLIC_URL, to the address at which this deployment is reached.";

/** `publicUrl`: `null` if the operator has set none. `polls`: platforms that can be polled are polled without one. */
export interface Reachability {
  publicUrl: string | null;
  polls: boolean;
}

/** No line for a profile without channels. */
export function checkChannels(channels: readonly ChannelState[], { publicUrl, polls }: Reachability): DoctorLine[] {
  const unreached = channels.filter(({ platform }) => publicUrl === null && !(polls && platform === "telegram"));
  const names = unreached.map(({ platform }) => platform).join(", ");
  const address =
    unreached.length === 0
      ? []
      : [warn("channels", `no public address is set, and ${names} cannot reach it`, ADDRESS_FIX)];
  return [...address, ...channels.map(checkChannel)];
}

function checkChannel({ platform, state, self, lastError, lastIn, lastOut }: ChannelState): DoctorLine {
  const check = `channel ${platform}`;
  const again = `Correct it with \`talaria channels set ${platform}\`, then try \`talaria channels test ${platform}\`.`;
  // An error is over once something went in or out after it.
  const error = lastError && lastError.at >= Math.max(lastIn ?? 0, lastOut ?? 0) ? lastError : null;
  if (state === "saved") {
    const reason = error ? `: ${error.message} (${error.code})` : "";
    return (error?.code === "channel_auth_failed" ? bad : warn)(check, tell(`saved, not verified${reason}`), again);
  }
  if (error) return warn(check, tell(`${error.message} (${error.code})`), again);
  const bot = self ? `, as ${self.name}` : "";
  return good(check, tell(`verified${bot}; ${lastIn === null ? "nobody has written yet" : "messages come in"}`));
}

/** A route and what came in last; `null`: nothing. */
export interface LatestDelivery {
  route: Pick<WebhookInfo, "name">;
  latest: Pick<InboundDelivery, "state" | "reason"> | null;
}

/** No line for a profile without routes. */
export function checkWebhooks(routes: readonly LatestDelivery[], { publicUrl }: Reachability): DoctorLine[] {
  if (routes.length === 0) return [];
  const failed = routes.flatMap(({ route, latest }) =>
    latest?.state === "failed"
      ? [
          warn(
            `webhook ${route.name}`,
            tell(`its last delivery failed: ${latest.reason ?? "no reason is known"}`),
            `Look at GET /v1/webhooks/${route.name}/deliveries, and have the sender send it again.`,
          ),
        ]
      : [],
  );
  const many = routes.length === 1 ? "1 route" : `${routes.length} routes`;
  const address =
    publicUrl === null
      ? warn("webhooks", `${many}, and no public address is set`, ADDRESS_FIX)
      : good("webhooks", many);
  return [address, ...failed];
}
