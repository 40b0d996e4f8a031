// What the API asks of a profile's sign-ins, beside the check of each request. The Account hands it out; sign-in-rows.ts and
// sign-in-codes.ts document the calls. Each fails with `profile_not_found` if there is no profile.
import { RpcTarget } from "cloudflare:workers";
import { type Result, err, ok } from "../../core/errors.ts";
import type { SignInInfo } from "../../core/schemas/keys/sign-in.ts";
import type { OpenKeys } from "./open-keys.ts";
import type { NewSignInCode, RedeemedSignIn } from "./sign-in-codes.ts";
import type { NewSignIn } from "./sign-in-rows.ts";

const NO_PROFILE = err("profile_not_found", "There is no profile of that id.");

type SignIns = Pick<OpenKeys, "signIns" | "signInCodes">;

export class SignInDesk extends RpcTarget {
  readonly #open: (willWrite: boolean) => SignIns | null;
  readonly #arm: () => Promise<void>;

  /** `open`: `null` for a deleted profile. Throws if a newer version made its tables, unless the call only reads. */
  constructor(open: (willWrite: boolean) => SignIns | null, arm: () => Promise<void>) {
    super();
    this.#open = open;
    this.#arm = arm;
  }

  async create(input: NewSignIn): Promise<Result<SignInInfo>> {
    const created = this.#open(true)?.signIns.create(input, Date.now()) ?? NO_PROFILE;
    await this.#arm();
    return created;
  }
  createCode(input: NewSignInCode): Result<number> {
    return this.#open(true)?.signInCodes.create(input, Date.now()) ?? NO_PROFILE;
  }
  async redeem(input: RedeemedSignIn): Promise<Result<SignInInfo>> {
    const begun = this.#open(true)?.signInCodes.redeem(input, Date.now()) ?? NO_PROFILE;
    await this.#arm();
    return begun;
  }
  list(): SignInInfo[] {
    return this.#open(false)?.signIns.list(Date.now()) ?? [];
  }
  /** Failure: `sign_in_not_found`. */
  async end(id: string): Promise<Result<null>> {
    const isEnded = this.#open(true)?.signIns.end(id, Date.now()) ?? false;
    await this.#arm();
    return isEnded ? ok(null) : err("sign_in_not_found", "There is no such sign-in, or it has ended already.");
  }
}
