// The Board of a chaos run: the product's, with failpoints. Exported by api.ts.
import { Board as ProductBoard } from "../../durable-objects/board/board.ts";
import type { BoardEnv } from "../../durable-objects/board/context.ts";
import { type ObjectFailpoints, addFailpoints } from "./object-failpoints.ts";

export class Board extends ProductBoard {
  readonly #failpoints: ObjectFailpoints<BoardEnv>;

  constructor(ctx: DurableObjectState, env: BoardEnv) {
    const failpoints = addFailpoints("board", ctx.storage, env);
    super(ctx, failpoints.env);
    this.#failpoints = failpoints;
  }

  override async call(...given: Parameters<ProductBoard["call"]>) {
    return this.#failpoints.answer(() => super.call(...given));
  }
  override async takeDelivery(...given: Parameters<ProductBoard["takeDelivery"]>) {
    return this.#failpoints.answer(() => super.takeDelivery(...given));
  }
  override async begin() {
    return this.#failpoints.answer(() => super.begin());
  }
  override async wake() {
    return this.#failpoints.answer(() => super.wake());
  }
  override async alarm() {
    return this.#failpoints.answer(() => super.alarm());
  }
}
