// The message of a failure, and how long it asks to wait. What each reply means: provider-failures.test.ts.
import { describe, expect, it } from "vitest";
import { parseBody, readErrorBody, readWaitInWords } from "../../../core/models/failures/error-reply.ts";
import { readReplyFailure, createModelFailure, redact } from "../../../core/models/failures/failures.ts";
import { readRetryAfter } from "../../../core/retry-after.ts";

const toReply = (status: number | undefined, body: unknown) => {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { ...readErrorBody(parseBody(text)), ...(status === undefined ? {} : { status }), provider: "Some" };
};

describe("a reply written to slow down a regular expression", () => {
  // On each of these, a backtracking pattern would run for minutes.
  it.each([
    "<",
    "<script",
    "<style>",
    "input token count ",
    "the ",
    "try again ",
    "thinking blocks ",
    "item with id '",
  ])("is read as fast as any other: 64 KB of %j", (piece) => {
    const failure = readReplyFailure(toReply(400, piece.repeat(64_000 / piece.length)), []);
    expect(failure.code).toBe("bad_request");
  });
});

describe("a failure", () => {
  it("is one sentence with the provider's message and what to do", () => {
    expect(createModelFailure("auth", "Mistral", "Unauthorized\n  (see docs)")).toEqual({
      code: "auth",
      message: "Mistral does not accept the key; check the key and its permissions (it said: Unauthorized (see docs)).",
      retry: false,
      compact: false,
      rotateKey: true,
      fallBack: true,
    });
    expect(createModelFailure("stream_cut", "OpenAI").message).toBe(
      "OpenAI closed the connection in the middle of its answer; try again.",
    );
  });

  it.each([
    "Incorrect API key provided: sk-proj-Ab12cd34Ef56_gh78.",
    "Incorrect API key provided: sk-pr**************cdef.",
    "key sk-ant-api03-AAAAbbbbCCCCdddd-EEEE is disabled",
    "API key AIzaSyA1234567890abcdefghijklmnopqrstu expired",
    "gsk_abcdefghijklmnop1234 has no access",
    "bad header: Bearer abcdefgh.ijklmnop",
    "unknown key my-very-own-secret",
  ])("never repeats a key: %s", (said) => {
    const { message } = createModelFailure("auth", "Some", said, ["my-very-own-secret"]);
    expect(message).toContain("[key]");
    expect(message).not.toMatch(/Ab12|cdef|AAAA|AIza|abcdefgh|my-very-own/);
  });

  it("keeps words that only resemble a key", () => {
    const said = "The task-list of model sk-1 is at risk-free-rates; Bearer token missing";
    expect(redact(said, ["none"])).toBe("The task-list of model sk-1 is at risk-free-rates; Bearer token missing");
  });

  it("is well-formed Unicode, whatever the reply holds", () => {
    const { message } = createModelFailure("server_error", "Some", `${"x".repeat(299)}🪽 \ud83e`);
    expect(message).toContain(`x (it said`.slice(1));
    expect(message.isWellFormed()).toBe(true);
  });

  it("quotes only a few lines of a long page", () => {
    expect(createModelFailure("server_error", "Some", "x".repeat(5_000)).message.length).toBeLessThan(400);
  });
});

describe("an HTML page in place of a reply", () => {
  const page = (head: string) =>
    `<!DOCTYPE html><html><head>${head}<script>steal("cookies")</script></head><body><p>Ray ID: 12</p></body></html>`;

  it.each([
    ["with a title", page("<title>502 Bad Gateway</title>"), "502 Bad Gateway"],
    ["without one", page(""), ""],
    ["after other words", `upstream said ${page("<title>Oops</title>")}`, "upstream said  Oops"],
    ["that is only a fragment", "<center><h1>502</h1></center><script>x()</script>", ""],
    ["in a message", { error: { message: page("<title>Log in</title>") } }, "Log in"],
    ["in a detail", { detail: page("") }, ""],
  ])("%s is quoted by its title or not at all", (_, body, said) => {
    expect(readErrorBody(body).message).toBe(said);
    const { message } = readReplyFailure(toReply(502, body), []);
    expect(message).not.toMatch(/[<>]|steal|Ray/);
  });

  it("is not assumed because a message mentions a tag", () => {
    const message = "messages.3: the tag <div> is not closed";
    expect(readErrorBody({ error: { message } }).message).toBe(message);
  });

  it("may be XML, which has no title", () => {
    const body = '<?xml version="1.0"?><Error><Message>Access Denied</Message></Error>';
    expect(readReplyFailure(toReply(403, body), []).message).toContain("Access Denied");
  });
});

describe("the time to wait before a retry", () => {
  const at = (headers: Record<string, string>) => readRetryAfter(new Headers(headers));

  it.each([
    [{ "retry-after": "7" }, 7_000],
    [{ "retry-after": "0.5" }, 500],
    [{ "retry-after": "-3" }, 0],
    [{ "retry-after-ms": "120.2", "retry-after": "7" }, 121],
    [{ "retry-after": "Wed, 21 Oct 2026 07:28:30 GMT", date: "Wed, 21 Oct 2026 07:28:00 GMT" }, 30_000],
    [{ "retry-after": "Wed, 21 Oct 2026 07:27:00 GMT", date: "Wed, 21 Oct 2026 07:28:00 GMT" }, 0],
    [{ "retry-after": "Wed, 21 Oct 2026 07:28:30 GMT" }, undefined],
    [{ "retry-after": "soon" }, undefined],
    [{ "retry-after": "1e300" }, 31 * 24 * 60 * 60_000],
    [{ "retry-after": "Infinity" }, undefined],
    [{}, undefined],
  ] as [Record<string, string>, number | undefined][])("is read from %o", (headers, expected) => {
    expect(at(headers)).toBe(expected);
  });

  it.each([
    ["Please try again in 1.2s.", 1_200],
    ["Please try again in 320ms.", 320],
    ["Please try again in 7m12.5s. Visit …", 432_500],
    ["try again in 1h2m", 3_720_000],
    ["Please retry after 26 seconds.", 26_000],
    ["Please try again in a while", undefined],
    ["try again later", undefined],
    ["try again in 99999999999s", undefined],
  ] as [string, number | undefined][])("is read from the message %j", (words, expected) => {
    expect(readWaitInWords(words)).toBe(expected);
  });

  it("is read from Google's body, and reported only for failures where waiting helps", () => {
    const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.07s" }];
    const busy = { error: { code: 429, message: "Quota", status: "RESOURCE_EXHAUSTED", details } };
    expect(readReplyFailure({ ...readErrorBody([busy]), status: 429, provider: "Google" }, [])).toMatchObject({
      code: "rate_limit",
      retryAfterMs: 34_070,
    });
    const headers = new Headers({ "retry-after": "9" });
    const [missing, billing] = [404, 402].map((status) =>
      readReplyFailure({ status, codes: [], message: "", provider: "Some", headers }, []),
    );
    expect(missing).not.toHaveProperty("retryAfterMs");
    // The key is suspended for that long.
    expect(billing).toMatchObject({ code: "billing", retry: false, retryAfterMs: 9_000 });
  });
});
