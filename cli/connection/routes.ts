// The API's routes by their name, typed from its description (contract.ts), for every client. Types, and one pure function.
import type { Contract } from "./contract.ts";

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

/** What every request may have beside what its route takes. */
interface Options {
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export type Asked<R extends Route> = Params<R> & Query<R> & Body<R> & Options;
/** The last argument of a call; it may be left out where nothing in it is required. */
export type AskedArgs<R extends Route> = object extends Asked<R> ? [asked?: Asked<R>] : [asked: Asked<R>];

export interface Filled {
  params?: Record<string, string | number> | undefined;
  query?: object | undefined;
  body?: object | undefined;
}

/** Method and address, also of a route that answers something else than JSON. Each parameter is escaped; query fields without a value are left out. */
export function fillRoute(route: string, { params = {}, query = {} }: Filled): [method: string, path: string] {
  const [method, template] = route.split(" ") as [string, string];
  const path = fillPath(template, params);
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  return [method, pairs.length > 0 ? `${path}?${new URLSearchParams(pairs)}` : path];
}

/** The same for a path alone. */
export function fillPath(template: string, params: Record<string, string | number>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => escapePart(String(params[name])));
}

/** `.` and `..` would climb out of their place, also as `%2E`: every client takes them out. Escaped twice they are a name that nothing has. */
function escapePart(part: string): string {
  return encodeURIComponent(part.toWellFormed()).replace(/^\.{1,2}$/, (dots) => dots.replaceAll(".", "%252E"));
}
