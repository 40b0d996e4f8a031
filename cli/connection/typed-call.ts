// Calls of the API's routes by their name, typed from its description (contract.ts): a route that does not exist, a missing parameter or
// a body of another form does not compile. Lists are read page by page.
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

export type TypedSend = <R extends Route>(route: R, ...asked: AskedArgs<R>) => Promise<Response>;

/** Sends a request whose answer is read by the caller: bytes, or a status without a body. */
export function createSend(http: Pick<Http, "send">): TypedSend {
  return (route, ...[asked = {}]) => {
    const { params, query, body, ...call } = asked as Filled & Call;
    const [method, path] = fillRoute(route, { params, query });
    return http.send(method, path, { ...call, ...(body !== undefined && { body }) });
  };
}

/** Parses what the server answers: it may be of another version. */
export function createCall(http: Pick<Http, "json">): TypedCall {
  return (schema, route, ...[asked = {}]) => {
    const { params, query, body, ...call } = asked as Filled & Call;
    const [method, path] = fillRoute(route, { params, query });
    return http.json(schema, method, path, { ...call, ...(body !== undefined && { body }) });
  };
}

/** Items of one request when there is a limit: every list of the API takes as many. */
const PAGE = 100;

export interface Listed<Item> {
  items: Item[];
  /** The cursor of the rest. Absent: this is the end. */
  next?: string;
}

export interface ListOptions {
  params?: Record<string, string>;
  query?: Record<string, string | undefined>;
  /** A cursor. Absent: from the beginning. */
  after?: string | undefined;
  /** Absent: to the end. */
  limit?: number | undefined;
}

export type TypedList = <R extends ListRoute, T extends Contract[R]["answer"], Item>(
  schema: z.ZodType<T>,
  route: R,
  itemsOf: (answer: T) => Item[],
  options?: ListOptions,
) => Promise<Listed<Item>>;

export function createList(http: Pick<Http, "json">): TypedList {
  return async <R extends ListRoute, T extends Contract[R]["answer"], Item>(
    schema: z.ZodType<T>,
    route: R,
    itemsOf: (answer: T) => Item[],
    { params, query, after: from, limit }: ListOptions = {},
  ): Promise<Listed<Item>> => {
    const items: Item[] = [];
    for (let after = from; ;) {
      const left = limit === undefined ? undefined : Math.min(PAGE, limit - items.length);
      const [method, path] = fillRoute(route, { params, query: { ...query, after, limit: left } });
      const answer = await http.json(schema, method, path);
      items.push(...itemsOf(answer));
      const { next } = answer;
      if (next === undefined) return { items };
      if (limit !== undefined && items.length >= limit) return { items, next };
      after = next;
    }
  };
}

/** Method and address, also of a route that answers something else than JSON. Each parameter is escaped; query fields without a value are left out. */
export function fillRoute(route: string, { params = {}, query = {} }: Filled): [method: string, path: string] {
  const [method, template] = route.split(" ") as [string, string];
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  return [method, pairs.length > 0 ? `${path}?${new URLSearchParams(pairs)}` : path];
}
