// The types of `cloudflare:workers` inside the workers tests: the api Worker's bindings and exports, and a
// binding that only tests have.
import type * as api from "../../workers/api/index.ts";
import type { Env as ApiBindings } from "../../workers/api/env.ts";

declare global {
  namespace Cloudflare {
    interface Env extends ApiBindings {
      LOADER: WorkerLoader;
    }
    interface GlobalProps {
      mainModule: typeof api;
    }
  }
}
