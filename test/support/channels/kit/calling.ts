// That nothing the agent writes calls everybody in a chat, whatever the platform takes for such a call: the agent repeats what it has read.
import { expect } from "vitest";
import { render } from "../../../../core/channels/render/to-messages.ts";
import type { PlatformFixture } from "../fixture.ts";
import type { Check } from "./check.ts";
import { openChat } from "./open-chat.ts";
import { GROUP, PICTURE, say } from "./said.ts";

const CALLS = [
  ...[
    "@everyone",
    "@here",
    "@channel",
    "@all",
    "@All",
    "@room",
    "<!channel>",
    "<!here>",
    "<!everyone>",
    "<@U012AB3CD>",
  ],
  ...["<@all>", "<@&123>", "<!subteam^S1>", "<users/all>", "<at>everyone</at>", '<at user_id="all">all</at>'],
  ...["<at id=all></at>", "<AT id=all></AT>"],
];
const FORMS = [
  (call: string) => `All: ${call}, look.`,
  (call: string) => `(${call})\n- ${call}`,
  (call: string) => `# ${call}`,
  (call: string) => `**${call}** _${call}_ [${call}](https://x.test/a)`,
  (call: string) => `\`${call}\`\n\n\`\`\`\n${call}\n\`\`\``,
  (call: string) => `| ${call} |\n|---|\n| ${call} |`,
];

export function checkCalling<Fields>(fixture: PlatformFixture<Fields>, check: Check): void {
  const { platform, callsEverybody } = fixture;
  if (typeof callsEverybody === "string") return;

  check("nothing that is sent, changed, opened, renamed or uploaded calls everybody", async () => {
    const { client, seen, to } = await openChat(fixture, platform.capabilities.groups ? GROUP : say(fixture, "").in);
    const before = seen.length;
    const sent = await client.send(to, { text: "First." });
    const id = sent.ok ? sent.value.id : null;
    for (const call of CALLS) {
      for (const form of FORMS) {
        const text = render(form(call), platform.flavour);
        expect(await client.send(to, { text }), text).toMatchObject({ ok: true });
        if (client.edit && id !== null) expect(await client.edit(to, id, { text })).toMatchObject({ ok: true });
      }
      const opened = await client.openThread?.(to, call);
      if (opened?.ok) await client.renameThread?.({ ...to, ...opened.value }, call);
      await client.sendFile?.(to, { name: `${call}.png`, mediaType: "image/png", bytes: PICTURE.bytes });
    }
    for (const { body } of seen.slice(before)) {
      const text = new TextDecoder().decode(body);
      expect(callsEverybody(text), text).toBe(false);
    }
    expect(seen.length - before).toBeGreaterThan(CALLS.length);
  });
}
