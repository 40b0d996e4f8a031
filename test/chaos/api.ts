// The api Worker of a chaos run: the product's own, but for the ports of its sessions, which have failpoints, and for three
// more tools. What is to happen to which session it is told by one variable, anew at each start.
import { Session as ProductSession } from "../../durable-objects/session/session.ts";
import type { SessionHost } from "../../core/session/context.ts";
import { type Failpoints, withFailpoints } from "./failpoints.ts";
import { chaosTools } from "./tools.ts";

export { Account } from "../../durable-objects/account.ts";
export { Archive } from "../../durable-objects/archive.ts";
export { default } from "../../workers/api/index.ts";

interface Plan {
  /** The server that records. */
  url: string;
  /** Where the life of a session ends. */
  points: Record<string, string>;
  /** Every point is told, and not the end of a turn alone. */
  traced?: "all";
}

export class Session extends ProductSession {
  // Set while the product's constructor runs, so no initialiser may come after it.
  declare failpoints: Failpoints;

  protected override adapt(product: SessionHost): SessionHost {
    const { session } = product;
    const plan = JSON.parse((this.env as unknown as { TALARIA_CHAOS: string }).TALARIA_CHAOS) as Plan;
    const post = (path: string, point: string) =>
      fetch(`${plan.url}${path}`, { method: "POST", body: JSON.stringify({ session, point }) });
    const isTold = (point: string) => point === "after settle" || plan.traced === "all";
    this.failpoints = withFailpoints(
      { ...product, moreTools: chaosTools(plan.url) },
      {
        at: plan.points[session],
        tell(point) {
          if (isTold(point)) void Promise.resolve().then(() => post("/passed", point));
        },
        reached: (point) => post("/reached", point),
      },
    );
    return this.failpoints.host;
  }

  override async post(input: Parameters<ProductSession["post"]>[0]) {
    return this.untilKilled(() => super.post(input));
  }
  protected override async postAndRead(input: Parameters<ProductSession["postAndRead"]>[0]) {
    return this.untilKilled(() => super.postAndRead(input));
  }
  override async rate(...given: Parameters<ProductSession["rate"]>) {
    return this.untilKilled(() => super.rate(...given));
  }
  override async alarm(): Promise<void> {
    return this.untilKilled(() => super.alarm());
  }

  /** Who is dead answers nothing, not even that something went wrong. */
  private async untilKilled<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      await this.failpoints.hold();
      throw error;
    }
  }
}
