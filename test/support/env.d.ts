// What `cloudflare:workers` offers inside the workers tests: the api Worker's bindings and exports.
declare namespace Cloudflare {
  type Env = import("../../workers/api/env.ts").Env;
  interface GlobalProps {
    mainModule: typeof import("../../workers/api/index.ts");
  }
}
