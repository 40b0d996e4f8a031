// The review Worker of a chaos run: the product's, over stores with failpoints. Each message is delivered twice in parallel.
import product from "../../workers/review/index.ts";
import type { Env } from "../../workers/review/env.ts";
import { deliverTwice, withStorePoints } from "./store-failpoints.ts";

export default {
  queue: (batch, env) => deliverTwice(batch, (each) => product.queue(each, withStorePoints(env, "review"))),
} satisfies ExportedHandler<Env>;
