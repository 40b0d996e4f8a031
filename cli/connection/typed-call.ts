// Calls of the API's routes by their name, typed from its description (contract.ts): a route that does not exist, a missing parameter or
// a body of another form does not compile.
import type * as z from "zod";
import type { Contract } from "./contract.ts";
import type { Call, Http } from "./http.ts";

export type Route = keyof Contract;

/** Routes that list in pages. */
export type ListRoute = {
  [R in Route]: R extends `GET ${string}`
    ? Contract[R]["answer"] extends { next?: string | undefined }
      ? R
      : never
    : never;
}[Route];

/** The names in braces. */
type ParamOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | ParamOf<Rest> : never;

type Params<R extends Route> = [ParamOf<R>] extends [never]
  ? { params?: undefined }
  : { params: Record<ParamOf<R>, string | number> };
type Query<R extends Route> = Contract[R] extends { query: infer Fields }
  ? object extends Fields
    ? { query?: Fields }
    : { query: Fields }
  : { query?: undefined };
type Body<R extends Route> = Contract[R] extends { body: infer Fields }
  ? { body: Fields }
  : Contract[R] extends { body?: infer Fields }
    ? { body?: Fields }
    : { body?: undefined };

export type Asked<R extends Route> = Params<R> & Query<R> & Body<R> & Pick<Call, "headers" | "signal">;
/** The last argument of a call; it may be left out where nothing in it is required. */
export type AskedArgs<R extends Route> = object extends Asked<R> ? [asked?: Asked<R>] : [asked: Asked<R>];

interface Filled {
  params?: Record<string, string | number> | undefined;
  query?: object | undefined;
  body?: object | undefined;
}

export type TypedCall = <R extends Route, T extends Contract[R]["answer"]>(
  schema: z.ZodType<T>,
  route: R,
  ...asked: AskedArgs<R>
) => Promise<T>;

/** Parses what the server answers: it may be of another version. */
export function createCall(http: Pick<Http, "json">): TypedCall {
  return (schema, route, ...[asked = {}]) => {
    const { params, query, body, ...call } = asked as Filled & Call;
    const [method, path] = fillRoute(route, { params, query });
    return http.json(schema, method, path, { ...call, ...(body !== undefined && { body }) });
  };
}

/** Method and address. Each parameter is escaped; query fields without a value are left out. */
export function fillRoute(route: Route, { params = {}, query = {} }: Filled): [method: string, path: string] {
  const [method, template] = route.split(" ") as [string, string];
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  return [method, pairs.length > 0 ? `${path}?${new URLSearchParams(pairs)}` : path];
}
