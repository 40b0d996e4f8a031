// Works off cards on the real stack and kills the whole stack with SIGKILL: at points of the board and of its workers' sessions, at random
// moments, and where a card was taken from a worker that lives on. Called by chaos.ts. What became of the cards is read through the API
// (board-measure.ts), and from the requests that the workers' tools made.
import { setTimeout as pause } from "node:timers/promises";
import { Card, type CardId } from "../../core/schemas/board/card.ts";
import { BoardStatsInfo } from "../../core/schemas/board/card-api.ts";
import { mulberry32 } from "../seeded.ts";
import { type MeasuredBoard, countBoard, readBoard } from "./board-measure.ts";
import { type LifePoint, type Lives, describePoint, withLives } from "./life.ts";
import { waitUntil } from "./stack.ts";
import { COMPLETE, SLOW_CALL, type ThingKind, writeThing } from "./worker-script.ts";

export interface BoardStackOptions {
  kills: number;
  seed: number;
  say(line: string): void;
}

export interface BoardStackRun extends MeasuredBoard {
  kills: number;
  /** Points at which no stack died. */
  unhit: string[];
}

/** A card that is wanted. `parents`: numbers of others. */
export interface WantedCard {
  n: number;
  kind: ThingKind;
  parents: number[];
  priority?: number;
}

/** Production settings, except shorter waits. A card is killed more often here than in life. */
const SETTINGS = {
  turn: { leaseMs: 1_000, titles: false, maxAttempts: 100 },
  review: { enabled: false },
  board: { claimMs: 10_000, retryMs: 500, failures: 20 },
};
const BOARD = "main";
/** A board that nobody calls wakes by its alarm after half a minute. */
const POINT_MS = 40_000;
/** For a worker that goes on after its card was taken. */
const LATE_MS = 10_000;
const REQUEST_MS = 10_000;
/** How long cards may take after the last kill. */
const END_MS = 180_000;
const RANDOM_SHARE = 0.1;
const RANDOM_MS = 1_500;
/** With so many open cards no whole graphs are added. */
const MANY_CARDS = 12;

export function runBoardOnStack({ kills, seed, say }: BoardStackOptions): Promise<BoardStackRun> {
  return withLives(SETTINGS, (lives) => new BoardRun(lives, { kills, seed, say }).all());
}

class BoardRun {
  readonly #lives: Lives;
  readonly #options: BoardStackOptions;
  readonly #random: () => number;
  readonly #wanted: WantedCard[] = [];
  readonly #accepted = new Map<number, CardId>();
  #creating: Promise<void> = Promise.resolve();
  #kills = 0;
  /** The thing whose card was taken from its worker, until that has tried to complete it. */
  #taken: number | null = null;

  constructor(lives: Lives, options: BoardStackOptions) {
    this.#lives = lives;
    this.#options = options;
    this.#random = mulberry32(options.seed);
  }

  async all(): Promise<BoardStackRun> {
    const { kills, say, seed } = this.#options;
    await this.#lives.client.send("PUT /v1/boards/{board}", { params: { board: BOARD } });
    await pause(500); // what its making passes has arrived
    this.#lives.world.passed.clear();
    this.#want("diamond");
    await this.#create();
    const learned = await this.#lives.learn(async () => (await this.#countOpen()) === 0);
    const points = learned.filter(({ point }) => point.who !== "agenda"); // of the making of the board
    await this.#lives.kill(); // nothing was at work, so it counts as no kill
    say(`The board and its workers pass ${points.length} points. Seed ${seed}.`);
    const unhit = new Set(points.map(({ point }) => describePoint(point)));
    for (let at = 0; this.#kills < kills; at++) {
      if (this.#kills === kills - 1) await this.#killBeforeBegin();
      else if (this.#taken !== null) await this.#killAfterLateWorker();
      else if (at % 6 === 3) await this.#killWhileStopping();
      else if (this.#random() < RANDOM_SHARE) await this.#killAtRandom();
      else {
        const { point, times } = points[Math.floor((this.#kills * points.length) / kills)]!;
        const most = point.who === "board" ? Math.min(times, 4) : 1;
        const skip = Math.floor(this.#random() * most);
        if (await this.#killAt({ ...point, skip }, at % 9 === 8)) unhit.delete(describePoint(point));
      }
    }
    await this.#lives.boot(null);
    await this.#create();
    const began = Date.now();
    while (Date.now() < began + END_MS && (await this.#countOpen()) > 0) await pause(500);
    say(`All work ended ${Math.round((Date.now() - began) / 1_000)} s after the last start.`);
    const { client, world } = this.#lives;
    const measured = countBoard(await readBoard(client, BOARD, this.#accepted), world.arrivals);
    for (const remark of measured.remarks) say(`Remark: ${remark}`);
    return { kills: this.#kills, unhit: [...unhit], ...measured };
  }

  // ---- kills ----

  /** `isQuiet`: nobody calls the board, so it goes on by its alarm alone. */
  async #killAt(point: LifePoint, isQuiet: boolean): Promise<boolean> {
    await this.#lives.boot(point);
    if (!isQuiet || (await this.#countOpen()) === 0) await this.#wantMore();
    const hit = await this.#lives.untilReached(POINT_MS);
    await this.#kill(`${describePoint(point)}${isQuiet ? ", by its alarm" : ""}${hit ? "" : " (not passed)"}`);
    return hit;
  }

  async #killAtRandom(): Promise<void> {
    await this.#lives.boot(null);
    await this.#wantMore();
    await pause(this.#random() * RANDOM_MS);
    await this.#kill("at random");
  }

  /** The last kill, between claim and begin: afterwards nobody calls the board, so the rest depends on its alarm. */
  async #killBeforeBegin(): Promise<void> {
    await this.#lives.boot({ who: "board", at: "before session post" });
    this.#want("one");
    this.#creating = this.#create();
    const hit = await this.#lives.untilReached(POINT_MS);
    await this.#kill(`board before session post${hit ? "" : " (not passed)"}`);
  }

  /** The owner takes the card from its worker; the stack dies before the worker's session is stopped. */
  async #killWhileStopping(): Promise<void> {
    await this.#lives.boot({ who: "board", at: "before session stop" });
    const { world, client } = this.#lives;
    const n = this.#add("slow", [], 1_000);
    this.#creating = this.#create();
    const isAtWork = () => world.arrivals.some(({ task, call }) => task === n && call === SLOW_CALL);
    await waitUntil(isAtWork, POINT_MS);
    if (isAtWork()) {
      const params = { board: BOARD, card: this.#accepted.get(n)! };
      const body = { reason: "Another worker is to do it." };
      const headers = { "idempotency-key": `take-${n}` };
      const signal = AbortSignal.timeout(REQUEST_MS);
      const taken = client.call(Card, "POST /v1/boards/{board}/cards/{card}/reclaim", {
        params,
        body,
        headers,
        signal,
      });
      taken.catch(() => {}); // its answer may die with the stack
      if (await this.#lives.untilReached(POINT_MS)) this.#taken = n;
    }
    await this.#kill(`before the session is stopped that lost thing ${n}${isAtWork() ? "" : " (not passed)"}`);
  }

  /** The worker that lost its card goes on after the kill, as the call that stops it takes long, and tries to complete the card. */
  async #killAfterLateWorker(): Promise<void> {
    const n = this.#taken;
    this.#taken = null;
    await this.#lives.boot({ who: "board", at: "before session stop", holdMs: POINT_MS });
    const { shown } = this.#lives.world;
    const answers = () => shown.filter(({ task, call }) => task === n && call.startsWith(COMPLETE));
    await waitUntil(() => answers().some(({ text }) => text.includes("claim_lost")), LATE_MS);
    const told = [...new Set(answers().map(({ text }) => text))];
    await this.#kill(`after the late worker of thing ${n} tried: ${told.join(", ") || "it did not"}`);
  }

  async #kill(where: string): Promise<void> {
    await this.#lives.kill();
    await this.#creating;
    this.#kills++;
    this.#options.say(`Kill ${this.#kills}: ${where}`);
  }

  // ---- cards ----

  #add(kind: ThingKind, parents: number[] = [], priority?: number): number {
    const n = this.#wanted.length + 1;
    this.#wanted.push({ n, kind, parents, ...(priority !== undefined && { priority }) });
    return n;
  }

  #want(graph: "diamond" | "chain" | "one"): void {
    const top = this.#add("quiet");
    if (graph === "one") return;
    if (graph === "chain") return void this.#add("plain", [this.#add("plain", [top])]);
    const sides = [this.#add("plain", [top]), this.#add("plain", [top]), this.#add("plain", [top])];
    this.#add("plain", sides);
  }

  async #wantMore(): Promise<void> {
    const open = await this.#countOpen();
    this.#want(open >= MANY_CARDS ? "one" : this.#random() < 0.5 ? "diamond" : "chain");
    this.#creating = this.#create();
  }

  /** Makes what is wanted and was not accepted yet, in order. Ends at the first request without an answer. */
  async #create(): Promise<void> {
    for (const { n, kind, parents, priority } of this.#wanted) {
      if (this.#accepted.has(n)) continue;
      const made = await this.#lives.client
        .call(Card, "POST /v1/boards/{board}/cards", {
          params: { board: BOARD },
          body: {
            title: writeThing(n, kind),
            parents: parents.map((parent) => this.#accepted.get(parent)!),
            ...(priority !== undefined && { priority }),
          },
          headers: { "idempotency-key": `card-${n}` },
          signal: AbortSignal.timeout(REQUEST_MS),
        })
        .catch(() => null);
      if (!made) return;
      this.#accepted.set(n, made.id);
    }
  }

  /** Wanted cards that are not done. Those of a dead board count as open. */
  async #countOpen(): Promise<number> {
    const asked = { params: { board: BOARD }, signal: AbortSignal.timeout(REQUEST_MS) };
    const stats = await this.#lives.client
      .call(BoardStatsInfo, "GET /v1/boards/{board}/stats", asked)
      .catch(() => null);
    return this.#wanted.length - (stats?.byStatus.done ?? 0);
  }
}
