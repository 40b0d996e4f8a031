// The curator Worker of a chaos run: the product's, over stores with failpoints. Each message is delivered twice in parallel.
import product from "../../workers/curator/index.ts";
import type { Env } from "../../workers/curator/env.ts";
import { deliverTwice, withStorePoints } from "./store-failpoints.ts";

export default {
  scheduled: (controller, env) => product.scheduled(controller, withStorePoints(env, "curator")),
  queue: (batch, env) => deliverTwice(batch, (each) => product.queue(each, withStorePoints(env, "curator"))),
} satisfies ExportedHandler<Env>;
