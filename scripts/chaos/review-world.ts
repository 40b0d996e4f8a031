// What the Workers of a chaos run over reviews tell about themselves, over every kill: which calls to a store they make, where
// a life ended, which steps of a review stand, and which of them a model was asked for. Called by reviews.ts.
import { type IncomingMessage, createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface ReviewWorld {
  url: string;
  /** Calls to a store that were made, by Worker, in the order in which they were first seen. */
  passed: Map<string, Set<string>>;
  /** Where the life of a Worker ended, since the last start. */
  reached: Map<string, string>;
  /**
   * Answers of a model that were asked for although they stood in the script: since an earlier life, or for longer than a run
   * goes on without looking. Two deliveries at once may ask for the same; who comes second takes what the first one recorded.
   */
  askedAgain: string[];
  /** Reviews and merges whose requests were recognised as going on behind a recorded answer. */
  recognised: Set<string>;
  /** The stack starts again. */
  beginLife(): void;
  close(): void;
}

export async function startReviewWorld(): Promise<ReviewWorld> {
  const world = {
    passed: new Map<string, Set<string>>(),
    reached: new Map<string, string>(),
    askedAgain: [] as string[],
    recognised: new Set<string>(),
  };
  /** When each answer was recorded, and in which life, by review or merge. */
  const answers = new Map<string, { at: number; life: number }[]>();
  let life = 0;

  function take(path: string, body: Told): "answered" | "never answered" {
    switch (path) {
      case "/passed":
        world.passed.set(body.worker, (world.passed.get(body.worker) ?? new Set()).add(body.point));
        return "answered";
      case "/reached":
        world.reached.set(body.worker, body.point);
        return "never answered"; // who is dead hears nothing
      case "/step": {
        const { subject } = body;
        if (!body.body.includes('"kind":"answer"')) return "answered";
        answers.set(subject, [...(answers.get(subject) ?? []), { at: Date.now(), life }]);
        return "answered";
      }
      default: {
        const { subject } = body;
        const recorded = answers.get(subject);
        if (recorded) world.recognised.add(subject);
        const standing = recorded?.[body.answers];
        if (standing && (standing.life < life || Date.now() - standing.at > LONG_MS)) {
          world.askedAgain.push(`answer ${body.answers + 1} of the review or merge ${subject}`);
        }
        return "answered";
      }
    }
  }

  const server = createServer((request, response) => {
    readBody(request)
      .then((text) => {
        if (take(request.url ?? "", JSON.parse(text) as Told) === "answered") response.end();
      })
      .catch(() => response.destroy()); // who asked may be gone in the middle of anything
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    ...world,
    beginLife() {
      life += 1;
      world.reached.clear();
    },
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A run looks at the script after each step that another one was quicker with; a step takes less than this. */
const LONG_MS = 5_000;

/** What may stand in a request to this server; which of it does, its path says. */
interface Told {
  worker: string;
  point: string;
  body: string;
  /** A review, by the marker of its transcript, or the profile whose merge it is. */
  subject: string;
  answers: number;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString("utf8");
}
