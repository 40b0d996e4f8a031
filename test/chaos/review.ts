// The review Worker of a chaos run: the product's own, over stores with failpoints, with two deliveries of each message at once.
import product from "../../workers/review/index.ts";
import type { Env } from "../../workers/review/env.ts";
import { deliverTwice, withStorePoints } from "./store-failpoints.ts";

export default {
  queue: (batch, env) => deliverTwice(batch, (each) => product.queue(each, withStorePoints(env, "review"))),
} satisfies ExportedHandler<Env>;
