// OpenAI's official client against the API of these tests, and what one request through it brought.
import { exports } from "cloudflare:workers";
import OpenAI from "openai";

export type Message = OpenAI.ChatCompletionMessageParam;

export const BASE_URL = "https://talaria.test/v1";

export const fetchWorker = (url: string | URL | Request, init?: RequestInit): Promise<Response> =>
  exports.default.fetch(new Request(url, init));

export function createChatClient(apiKey: string, fetch: typeof fetchWorker = fetchWorker): OpenAI {
  return new OpenAI({ apiKey, baseURL: BASE_URL, maxRetries: 0, fetch });
}

export const user = (content: string): Message => ({ role: "user", content });
export const assistant = (content: string | null): Message => ({ role: "assistant", content });

export interface Said {
  text: string;
  finish: string;
  calls: OpenAI.ChatCompletionMessageToolCall[];
  usage: OpenAI.CompletionUsage;
  session: string;
  turn: string;
}

export async function say(
  client: OpenAI,
  messages: Message[],
  {
    headers = {},
    ...more
  }: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming> & { headers?: Record<string, string> } = {},
): Promise<Said> {
  const asked = client.chat.completions.create({ model: "talaria", messages, ...more }, { headers });
  const { data, response } = await asked.withResponse();
  const { message, finish_reason: finish } = data.choices[0]!;
  const [session, turn] = ["session", "turn"].map((name) => response.headers.get(`x-talaria-${name}`)!);
  return {
    ...{ text: message.content ?? "", finish, calls: message.tool_calls ?? [], usage: data.usage! },
    ...{ session: session!, turn: turn! },
  };
}
