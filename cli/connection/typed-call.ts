// Calls of the API's routes by their name, typed from its description (routes.ts): a route that does not exist, a missing parameter or
// a body of another form does not compile. Lists are read page by page.
import type * as z from "zod";
import type { Contract } from "./contract.ts";
import type { Call, Http } from "./http.ts";
import { type AskedArgs, type Filled, type ListRoute, type Route, fillRoute } from "./routes.ts";

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
