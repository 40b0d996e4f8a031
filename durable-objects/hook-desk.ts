// What the owner of a profile asks of its webhooks, for the API. The Account hands it out; account-hooks.ts documents the calls. Each
// fails with `profile_gone` if the profile was deleted.
import { RpcTarget } from "cloudflare:workers";
import { type Result, err } from "../core/errors.ts";
import type {
  CreateHook,
  CreatedHook,
  HookDelivery,
  HookId,
  HookInfo,
  HookTest,
  RotatedSecret,
} from "../core/schemas/profile/hooks.ts";
import type { AccountHooks } from "./account-hooks.ts";

const PROFILE_GONE = err("profile_gone", "This profile has been deleted.");

export class HookDesk extends RpcTarget {
  readonly #open: (willWrite: boolean) => AccountHooks | null;

  /** `open`: `null` for a deleted profile. Throws if a newer version made its tables, unless the call only reads. */
  constructor(open: (willWrite: boolean) => AccountHooks | null) {
    super();
    this.#open = open;
  }

  async create(input: CreateHook): Promise<Result<CreatedHook>> {
    return this.#open(true)?.create(input) ?? PROFILE_GONE;
  }
  list(): HookInfo[] {
    return this.#open(false)?.list() ?? [];
  }
  read(id: HookId): Result<HookInfo> {
    return this.#open(false)?.read(id) ?? PROFILE_GONE;
  }
  remove(id: HookId): Result<null> {
    return this.#open(true)?.remove(id) ?? PROFILE_GONE;
  }
  async rotate(id: HookId): Promise<Result<RotatedSecret>> {
    return this.#open(true)?.rotate(id) ?? PROFILE_GONE;
  }
  async test(id: HookId): Promise<Result<HookTest>> {
    return this.#open(true)?.test(id) ?? PROFILE_GONE;
  }
  deliveries(id: HookId): Result<HookDelivery[]> {
    return this.#open(false)?.deliveries(id) ?? PROFILE_GONE;
  }
}
