// The measuring HTTP client: plain node:http with keep-alive. It records when the awaited text arrives. It must not depend on any
// subject.
import { Agent, type IncomingMessage, request } from "node:http";

const agent = new Agent({ keepAlive: true, maxSockets: 256 });

/** Timeout for a server that sends nothing. */
const SILENCE_TIMEOUT_MS = 30_000;

export interface TimedResponse {
  status: number;
  text: string;
  /** In milliseconds since 1970 with decimals. */
  sentAt: number;
  /** From sending the request until the received text matches `mark`; `null` if it never does. */
  firstMs: number | null;
  /** From sending the request to the end of the answer. */
  totalMs: number;
}

export interface TimedRequest {
  method?: "GET" | "POST" | "PUT" | "DELETE";
  headers?: Record<string, string>;
  body?: string;
  mark?: RegExp;
}

export async function send(url: string, options: TimedRequest = {}): Promise<TimedResponse> {
  const { method = "POST", headers = {}, body = "", mark } = options;
  return new Promise((resolve, reject) => {
    const length = String(Buffer.byteLength(body));
    const outgoing = request(url, { method, agent, headers: { ...headers, "content-length": length } });
    outgoing.setNoDelay(true);
    let sentAt = 0;
    outgoing.setTimeout(SILENCE_TIMEOUT_MS, () =>
      outgoing.destroy(new Error(`${url} sent nothing for ${SILENCE_TIMEOUT_MS / 1000} s`)),
    );
    outgoing.once("error", reject);
    outgoing.once("response", (response: IncomingMessage) => {
      let text = "";
      let firstMs: number | null = null;
      response.setEncoding("utf8");
      response.on("data", (piece: string) => {
        text += piece;
        if (mark && firstMs === null && mark.test(text)) firstMs = performance.now() - sentAt;
      });
      response.once("error", reject);
      response.once("end", () =>
        resolve({
          ...{ status: response.statusCode!, text, firstMs },
          ...{ sentAt: performance.timeOrigin + sentAt, totalMs: performance.now() - sentAt },
        }),
      );
    });
    sentAt = performance.now();
    outgoing.end(body);
  });
}
