// The fake Telegram over HTTP: what a bot's library, or a stack, is pointed at. Updates go to the bot's webhook, once one is set, in order
// and until each was taken, or wait for `getUpdates`.
import type { Update } from "@grammyjs/types";
import { type Served, serveHttp } from "../serve-http.ts";
import { type FakeBot, type FakeTelegram, createFakeTelegram } from "./fake-telegram.ts";

export interface RunningTelegram extends AsyncDisposable {
  url: string;
  fake: FakeTelegram;
  /** Gives the bot an update. Settles when the webhook has taken it; at once without a webhook. */
  deliver(bot: FakeBot, update: Update): Promise<void>;
  /** Statuses of all answers of webhooks. */
  statuses: number[];
}

/** `reach`: the address at which this process reaches what the bot called its address. */
export async function startFakeTelegram(
  options: { port?: number; reach?: (url: string) => string } = {},
): Promise<RunningTelegram> {
  const { reach = (url: string) => url } = options;
  const fake = createFakeTelegram();
  const statuses: number[] = [];
  const served: Served = await serveHttp((path, init) => fake.serve(path, init), options.port);

  async function post(bot: FakeBot, update: Update): Promise<boolean> {
    const { url, secret_token } = bot.webhook!;
    const headers: Record<string, string> = { "content-type": "application/json" };
    if (secret_token !== undefined) headers["x-telegram-bot-api-secret-token"] = secret_token;
    try {
      const answer = await fetch(reach(url), { method: "POST", headers, body: JSON.stringify(update) });
      await answer.body?.cancel();
      statuses.push(answer.status);
      return answer.ok;
    } catch {
      return false; // nobody listens there just now
    }
  }

  return {
    ...{ url: served.url, fake, statuses },
    async deliver(bot, update) {
      bot.updates.push(update);
      bot.wake();
      for (let tries = 0; bot.webhook && tries < 200; tries++) {
        if (await post(bot, update)) {
          bot.updates = bot.updates.filter((waiting) => waiting !== update);
          return;
        }
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      if (bot.webhook) throw new Error("the webhook took no update in 20 s");
    },
    [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
  };
}
