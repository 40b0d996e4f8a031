// The fake Slack over HTTP: what `@slack/web-api`, or a stack, is pointed at.
import { serveHttp } from "../serve-http.ts";
import { type FakeSlack, createFakeSlack } from "./fake-slack.ts";

export interface RunningSlack extends AsyncDisposable {
  /** Of the server. Methods are below `/api`. */
  url: string;
  fake: FakeSlack;
}

export async function startFakeSlack(port?: number): Promise<RunningSlack> {
  let url = "";
  const fake = createFakeSlack(() => url);
  const served = await serveHttp((path, init) => fake.serve(path, init), port);
  url = served.url;
  return { url, fake, [Symbol.asyncDispose]: () => served[Symbol.asyncDispose]() };
}
