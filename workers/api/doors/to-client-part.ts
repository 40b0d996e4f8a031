// What a request adds to its message, as the session takes it. Called by open-turn.ts. Pure.
import { ClientPart } from "../../../core/schemas/sessions/client-part.ts";
import { AppError } from "../problems.ts";
import type { DoorMessage, DoorRequest } from "./contract.ts";

/** `null`: nothing. Throws `body_invalid`; the path of each error is a field of `ClientPart`. */
export function toClientPart(request: DoorRequest, history: DoorMessage[]): ClientPart | null {
  const { guidance, tools, toolChoice, format, model, effort, sampling } = request;
  const given = {
    ...(guidance !== null && { guidance }),
    ...(tools.length > 0 && { tools, ...(toolChoice !== undefined && { toolChoice }) }),
    ...(history.length > 0 && { history }),
    ...(format && { format }),
    ...(model !== null && { model }),
    ...(effort && { effort }),
    ...Object.fromEntries(Object.entries(sampling).filter(([, value]) => value !== undefined)),
  };
  if (Object.keys(given).length === 0) return null;
  const parsed = ClientPart.safeParse(given);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map(({ path, message }) => ({ in: "client", path: path.join("."), message }));
  const [first] = errors;
  throw new AppError("body_invalid", `Invalid value in \`${first!.path}\`: ${first!.message}.`, { errors });
}
