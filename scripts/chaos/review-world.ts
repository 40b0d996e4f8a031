// Receives reports from the Workers of a chaos run over reviews: their store calls, where each process died, the recorded steps of
// a review, and the model requests. Outlives every kill. Called by reviews.ts.
import { type IncomingMessage, createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface ReviewWorld {
  url: string;
  /** Store calls by Worker, in the order of their first appearance. */
  passed: Map<string, Set<string>>;
  /** The store call at which a Worker died since the last start. */
  reached: Map<string, string>;
  /**
   * Model answers that were requested although the script already held them, either since before the last restart or for longer
   * than a run waits between two reads of the script. Two concurrent deliveries may both ask; the second adopts the first's record.
   */
  askedAgain: string[];
  /** Reviews and merges that continued after a recorded answer. */
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
  /** For each review or merge: when each answer was recorded, and after which start. */
  const answers = new Map<string, { at: number; life: number }[]>();
  let life = 0;

  function take(path: string, body: WorkerReport): "answered" | "never answered" {
    switch (path) {
      case "/passed":
        world.passed.set(body.worker, (world.passed.get(body.worker) ?? new Set()).add(body.point));
        return "answered";
      case "/reached":
        world.reached.set(body.worker, body.point);
        return "never answered"; // a dead process gets no answer
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
        if (take(request.url ?? "", JSON.parse(text) as WorkerReport) === "answered") response.end();
      })
      .catch(() => response.destroy()); // the caller may be killed at any moment
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

/** Longest duration of a step. A run reads the script again after each step that another run recorded first. */
const LONG_MS = 5_000;

/** Body of a request to this server. The path decides which fields are set. */
interface WorkerReport {
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
