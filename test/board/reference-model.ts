// What a board should do, said a second time and in another way: cards as plain objects, no SQL, no table of transitions. The model test of
// core/board/ compares the two after every command. It shares no code with the implementation.
export type Status = "triage" | "todo" | "scheduled" | "ready" | "running" | "blocked" | "review" | "done" | "archived";
export type Kind = "dependency" | "needs_input" | "capability" | "transient";
export type How = "crashed" | "timed_out" | "spawn_failed" | "lost" | "rate_limited" | "handed_over" | "cancelled";

export interface ModelCard {
  status: Status;
  /** "": nobody; "a", "b": roles; "p": a person. */
  who: string;
  /** Who did what is reviewed; `null`: it is not reviewed. */
  did: string | null;
  parents: Set<number>;
  failures: number;
  same: number;
  lastKind: Kind | null;
  /** When it moves by itself, or may be claimed again. */
  wakes: number | null;
  /** Until when its run may write. */
  claimUntil: number | null;
}

export const LIMITS = {
  maxRunning: 2,
  failures: 2,
  recurrences: 2,
  claimMs: 900,
  retryMs: 30,
  coolMs: 300,
  transientMs: 300,
};
export const DAY = 86_400_000;

export class Model {
  cards: (ModelCard | null)[] = [];
  now = 0;
  dispatched = new Set<number>();

  get(n: number): ModelCard | null {
    return this.cards[n] ?? null;
  }
  /** Whether a card before it is unfinished. */
  waits(card: ModelCard): boolean {
    return [...card.parents].some((n) => !["done", "archived"].includes(this.cards[n]?.status ?? "done"));
  }
  /** After something ended: cards that waited for nothing else can go. */
  settle(): void {
    for (const card of this.cards) if (card?.status === "todo" && !this.waits(card)) card.status = "ready";
  }
  private goesBackTo(card: ModelCard): Status {
    return card.did !== null ? "review" : this.waits(card) ? "todo" : "ready";
  }
  private leave(card: ModelCard): void {
    this.dispatched.delete(this.cards.indexOf(card));
    card.claimUntil = null;
    card.wakes = null;
  }
  private back(card: ModelCard): void {
    if (card.did !== null) card.who = card.did;
    card.did = null;
  }

  create(more: { parents: number[]; triage: boolean; later: boolean; block: boolean; who: string }): string {
    const parents = new Set(more.parents);
    for (const n of parents) if (!this.get(n)) return "card_not_found";
    const card: ModelCard = {
      ...{ status: "ready", who: more.who, did: null, parents, failures: 0, same: 0, lastKind: null },
      ...{ wakes: null, claimUntil: null },
    };
    if (this.waits(card)) card.status = "todo";
    if (more.later) [card.status, card.wakes] = ["scheduled", this.now + 1_000];
    if (more.block) [card.status, card.same, card.lastKind, card.wakes] = ["blocked", 1, "needs_input", null];
    if (more.triage) [card.status, card.wakes, card.same, card.lastKind] = ["triage", null, 0, null];
    this.cards.push(card);
    return "ok";
  }
  link(parent: number, child: number): string {
    const card = this.get(child);
    if (!card || !this.get(parent)) return "card_not_found";
    if (card.status === "done" || card.status === "archived") return "bad_transition";
    if (card.parents.has(parent)) return "ok";
    const reaches = (from: number): boolean => from === child || [...(this.get(from)?.parents ?? [])].some(reaches);
    if (reaches(parent)) return "link_cycle";
    card.parents.add(parent);
    if (card.status === "ready" && this.waits(card)) [card.status, card.wakes] = ["todo", null];
    return "ok";
  }
  unlink(parent: number, child: number): string {
    if (!this.get(child)) return "card_not_found";
    this.get(child)!.parents.delete(parent);
    this.settle();
    return "ok";
  }
  promote(n: number): string {
    const card = this.get(n);
    if (!card) return "card_not_found";
    const waits = this.waits(card);
    if (waits && (card.status === "todo" || card.status === "blocked")) return "parents_open";
    if (!["triage", "scheduled", "blocked"].includes(card.status)) return "bad_transition";
    this.back(card);
    [card.status, card.wakes, card.failures] = [waits ? "todo" : "ready", null, 0];
    return "ok";
  }
  schedule(n: number): string {
    const card = this.get(n);
    if (!card) return "card_not_found";
    if (!["triage", "todo", "ready", "scheduled"].includes(card.status)) return "bad_transition";
    [card.status, card.wakes] = ["scheduled", this.now + 1_000];
    return "ok";
  }
  assign(n: number, who: string): string {
    const card = this.get(n);
    if (!card) return "card_not_found";
    if (card.status === "running") return "card_running";
    card.who = who;
    card.failures = 0;
    if (card.status === "ready" || card.status === "review") card.wakes = null;
    return "ok";
  }
  start(n: number): string {
    const card = this.get(n);
    if (!card) return "card_not_found";
    if (card.status !== "ready" && card.status !== "review") return "bad_transition";
    [card.status, card.wakes, card.claimUntil] = ["running", null, this.now + DAY];
    return "ok";
  }
  /** The cards that a free place may go to: all that are equally first (here all have one priority, so one, the oldest). */
  claim(): number | null {
    if (this.dispatched.size >= LIMITS.maxRunning) return null;
    const oldest = (lane: "ready" | "review") => {
      const n = this.cards.findIndex(
        (card) =>
          card?.status === lane && card.wakes === null && card.who !== "p" && (lane === "ready" || card.who !== ""),
      );
      return n === -1 ? null : n;
    };
    const isReviewing = [...this.dispatched].some((n) => this.cards[n]!.did !== null);
    const n = (isReviewing ? null : oldest("review")) ?? oldest("ready") ?? oldest("review");
    if (n === null) return null;
    const card = this.cards[n]!;
    [card.status, card.claimUntil] = ["running", this.now + LIMITS.claimMs];
    this.dispatched.add(n);
    return n;
  }
  complete(n: number): string {
    const card = this.get(n);
    if (!card) return "card_not_found";
    if (!["running", "ready", "blocked", "review"].includes(card.status)) return "bad_transition";
    if (this.waits(card)) return "parents_open";
    this.leave(card);
    this.back(card);
    [card.status, card.failures, card.same, card.lastKind] = ["done", 0, 0, null];
    this.settle();
    return "ok";
  }
  block(n: number, kind: Kind): string {
    const card = this.get(n);
    if (!card) return "card_not_found";
    if (card.status !== "running" && card.status !== "ready") return "bad_transition";
    if (kind === "dependency") {
      if (card.status === "ready" || card.did !== null) return "bad_transition";
      if (!this.waits(card)) return "no_open_parent";
      this.leave(card);
      card.status = "todo";
      return "ok";
    }
    this.leave(card);
    card.same = card.lastKind === kind ? card.same + 1 : 1;
    card.lastKind = kind;
    if (card.same >= LIMITS.recurrences) {
      this.back(card);
      card.status = "triage";
      return "ok";
    }
    card.status = "blocked";
    if (kind === "transient") card.wakes = this.now + LIMITS.transientMs;
    return "ok";
  }
  unblock(n: number): string {
    const card = this.get(n);
    if (!card) return "card_not_found";
    if (card.status !== "blocked") return "bad_transition";
    card.status = card.did !== null ? "review" : this.waits(card) ? "todo" : "ready";
    [card.failures, card.wakes] = [0, null];
    return "ok";
  }
  requestReview(n: number, reviewer: string): string {
    const card = this.get(n);
    if (!card) return "card_not_found";
    if (card.status !== "running" && card.status !== "ready") return "bad_transition";
    this.leave(card);
    card.did ??= card.who;
    [card.who, card.status, card.failures] = [reviewer, "review", 0];
    return "ok";
  }
  requestChanges(n: number): string {
    const card = this.get(n);
    if (!card) return "card_not_found";
    if (card.status !== "running" && card.status !== "review") return "bad_transition";
    if (card.did === null) return "not_in_review";
    this.leave(card);
    this.back(card);
    [card.status, card.failures] = [this.waits(card) ? "todo" : "ready", 0];
    return "ok";
  }
  reclaim(n: number): string {
    const card = this.get(n);
    if (!card) return "card_not_found";
    if (card.status !== "running") return "bad_transition";
    this.leave(card);
    card.status = this.goesBackTo(card);
    return "ok";
  }
  endRun(n: number, how: How): string {
    const card = this.get(n)!;
    this.leave(card);
    const again = this.goesBackTo(card);
    const wakes = (ms: number) => (again === "todo" ? null : this.now + ms);
    if (how === "handed_over") {
      card.did ??= card.who;
      [card.who, card.status, card.failures] = ["", "review", 0];
    } else if (how === "cancelled") card.status = "blocked";
    else if (how === "rate_limited") [card.status, card.wakes] = [again, wakes(LIMITS.coolMs)];
    else if (++card.failures >= LIMITS.failures) card.status = "blocked";
    else [card.status, card.wakes] = [again, wakes(LIMITS.retryMs)];
    return "ok";
  }
  putAway(n: number, isCancel: boolean): string {
    const card = this.get(n);
    if (!card) return "card_not_found";
    if (card.status === "archived" || (isCancel && card.status === "done")) return "bad_transition";
    this.leave(card);
    this.back(card);
    card.status = "archived";
    this.settle();
    return "ok";
  }
  remove(n: number): string {
    const card = this.get(n);
    if (!card) return "card_not_found";
    if (card.status === "running") return "card_running";
    this.cards[n] = null;
    for (const other of this.cards) other?.parents.delete(n);
    this.settle();
    return "ok";
  }
  wait(ms: number): void {
    this.now += ms;
    for (const card of this.cards) {
      if (!card || card.wakes === null || card.wakes > this.now) continue;
      card.wakes = null;
      if (card.status === "scheduled" || card.status === "blocked") {
        card.status = card.did !== null ? "review" : this.waits(card) ? "todo" : "ready";
      }
    }
  }
}
