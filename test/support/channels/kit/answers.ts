// That an answer with files arrives whole, by the delivery that every platform has: its words first, then each file or a sentence why not.
import { expect } from "vitest";
import { OUT_SCHEMA, createDelivery } from "../../../../core/channels/delivery/deliver.ts";
import { toMessages } from "../../../../core/channels/render/to-messages.ts";
import { err, ok } from "../../../../core/errors.ts";
import { createNodeSql } from "../../bindings/node-sql.ts";
import { answer } from "../delivery-rig.ts";
import type { PlatformFixture } from "../fixture.ts";
import type { Check } from "./check.ts";
import { openChat } from "./open-chat.ts";
import { PICTURE } from "./said.ts";

/** Longer than any caption: Telegram's has 1,024 characters. */
const WORDS = Array.from({ length: 300 }, (_, index) => `word${index}.`);

export function checkAnswers<Fields>(fixture: PlatformFixture<Fields>, check: Check): void {
  const { platform } = fixture;

  check("a file of an answer takes no word of it away, and is there, or a sentence says why not", async () => {
    const { client, clock, world, to } = await openChat(fixture);
    const sql = createNodeSql();
    for (const statement of OUT_SCHEMA) sql.run(statement);
    const files = new Map([
      ["rain.png", PICTURE.bytes],
      ["rain.csv", new TextEncoder().encode("day,mm\n1,12\n")],
    ]);
    const delivery = createDelivery({
      ...{ sql, clock, random: () => 0, newToken: () => "token" },
      findChat: () => ({ platform: platform.name, address: to }),
      openClient: async () => ok({ platform, client }),
      readFile: async (_session, path) => (files.has(path) ? ok(files.get(path)!) : err("file_not_found", "No file.")),
      toMessages: async (markdown, form) => toMessages(markdown, form),
      onAttempt() {},
      report(what, error) {
        throw new Error(what, { cause: error });
      },
    });
    const text = `${WORDS.join(" ")}\nMEDIA:rain.png\nSee [the table](rain.csv).\nMEDIA:gone.txt`;
    delivery.take({ ...answer(text), kind: "answer" });
    for (let time = 0; time < 20 && delivery.nextDue() !== null; time += 1) {
      clock.advance(Math.max(0, delivery.nextDue()! - clock.now()));
      await delivery.sendDue();
    }
    expect(delivery.list({ limit: 1 }).page).toMatchObject([{ state: "sent" }]);
    const all = world.messages.map((message) => message.text).join(" ");
    for (const word of [...WORDS, "the table"]) expect(all).toContain(word);
    expect(all).not.toContain("MEDIA:");
    if (platform.capabilities.filesOut) {
      expect(all).toContain("(The file is not there any more: gone.txt)");
      expect(world.files.map(({ bytes }) => [...bytes])).toEqual([...files.values()].map((bytes) => [...bytes]));
    } else {
      for (const name of files.keys()) expect(all).toContain(`(${platform.title} takes no files from me: ${name})`);
    }
  });
}
