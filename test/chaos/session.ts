// The Session of a chaos run: the product's, with failpoints in its ports and three more tools. One variable says what happens to which
// session; it is set at each start. Exported by api.ts.
import { Session as ProductSession } from "../../durable-objects/session/session.ts";
import type { SessionHost } from "../../core/session/context.ts";
import { type Failpoints, withFailpoints } from "./failpoints.ts";
import { cardTools } from "./card-tools.ts";
import { chaosTools } from "./tools.ts";

interface Plan {
  /** The recording server. */
  url: string;
  /** By session: the failpoint at which it dies. */
  points: Record<string, string>;
  /** The failpoint of the sessions that are not named: those that others began. */
  elsewhere?: string;
  /** Reports every failpoint, not only the end of a turn. */
  traced?: "all";
  /** A run over boards or jobs: it kills their objects too, see object-failpoints.ts. */
  objects?: object;
  /** A run over reviews, which kills the Workers at calls to their stores: its sessions are the product's. */
  atStores?: true;
}

export class Session extends ProductSession {
  // The product's constructor sets this field. An initialiser would run later and overwrite it.
  declare failpoints: Failpoints | undefined;

  protected override adapt(product: SessionHost): SessionHost {
    const { session } = product;
    const plan = JSON.parse((this.env as unknown as { TALARIA_CHAOS: string }).TALARIA_CHAOS) as Plan;
    if (plan.atStores) return product;
    const post = (path: string, point: string) =>
      fetch(`${plan.url}${path}`, { method: "POST", body: JSON.stringify({ session, point }) });
    const isTold = (point: string) => point === "after settle" || plan.traced === "all";
    const failpoints = withFailpoints(
      { ...product, moreTools: [...chaosTools(plan.url, session), ...cardTools(product)] },
      {
        at: plan.points[session] ?? plan.elsewhere,
        onPass(point) {
          if (isTold(point)) void Promise.resolve().then(() => post("/passed", point));
        },
        onReached: (point) => post("/reached", point),
      },
    );
    this.failpoints = failpoints;
    return failpoints.host;
  }

  override async post(input: Parameters<ProductSession["post"]>[0]) {
    return this.untilKilled(() => super.post(input));
  }
  protected override async postAndRead(input: Parameters<ProductSession["postAndRead"]>[0]) {
    return this.untilKilled(() => super.postAndRead(input));
  }
  override async create(...given: Parameters<ProductSession["create"]>) {
    return this.untilKilled(() => super.create(...given));
  }
  override async stop(...given: Parameters<ProductSession["stop"]>) {
    return this.untilKilled(() => super.stop(...given));
  }
  override async readTurn(...given: Parameters<ProductSession["readTurn"]>) {
    return this.untilKilled(() => super.readTurn(...given));
  }
  override async rate(...given: Parameters<ProductSession["rate"]>) {
    return this.untilKilled(() => super.rate(...given));
  }
  override async beginChild(...given: Parameters<ProductSession["beginChild"]>) {
    return this.untilKilled(() => super.beginChild(...given));
  }
  override async stopChild(...given: Parameters<ProductSession["stopChild"]>) {
    return this.untilKilled(() => super.stopChild(...given));
  }
  override async takeReport(...given: Parameters<ProductSession["takeReport"]>) {
    return this.untilKilled(() => super.takeReport(...given));
  }
  override async alarm(): Promise<void> {
    return this.untilKilled(() => super.alarm());
  }

  /** A dead process sends no response, not even an error. */
  private async untilKilled<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      await this.failpoints?.hold();
      throw error;
    }
  }
}
