// The Agenda of a chaos run: the product's, with failpoints. Exported by api.ts.
import { Agenda as ProductAgenda } from "../../durable-objects/agenda/agenda.ts";
import type { AgendaEnv } from "../../durable-objects/agenda/context.ts";
import { type ObjectFailpoints, addFailpoints } from "./object-failpoints.ts";

export class Agenda extends ProductAgenda {
  readonly #failpoints: ObjectFailpoints<AgendaEnv>;

  constructor(ctx: DurableObjectState, env: AgendaEnv) {
    const failpoints = addFailpoints("agenda", ctx.storage, env);
    super(ctx, failpoints.env);
    this.#failpoints = failpoints;
  }

  override async createJob(...given: Parameters<ProductAgenda["createJob"]>) {
    return this.#failpoints.answer(() => super.createJob(...given));
  }
  override async runJob(...given: Parameters<ProductAgenda["runJob"]>) {
    return this.#failpoints.answer(() => super.runJob(...given));
  }
  override async takeDelivery(...given: Parameters<ProductAgenda["takeDelivery"]>) {
    return this.#failpoints.answer(() => super.takeDelivery(...given));
  }
  override async addBoard(...given: Parameters<ProductAgenda["addBoard"]>) {
    return this.#failpoints.answer(() => super.addBoard(...given));
  }
  override async takePlaces(...given: Parameters<ProductAgenda["takePlaces"]>) {
    return this.#failpoints.answer(() => super.takePlaces(...given));
  }
  override async alarm() {
    return this.#failpoints.answer(() => super.alarm());
  }
}
