// A model over a wire of the scripted server, for the conformance kit inside workerd.
import { inject } from "vitest";
import type { Model } from "../../../core/agent/contract.ts";
import type { MakeModel } from "../../conformance/model.ts";
import { writeScript } from "./wire-script.ts";

type OpenModel = (options: { baseUrl: string; fetch: typeof fetch }) => Model;

/** Each call writes its own script, so that tests do not receive each other's replies. */
export function openOverWire(open: OpenModel): MakeModel {
  return async (replies) => {
    const script = await writeScript(inject("modelServer"), replies);
    const model = open({ baseUrl: script.baseUrl, fetch: (input, init) => fetch(input, init) });
    return { model, script };
  };
}
