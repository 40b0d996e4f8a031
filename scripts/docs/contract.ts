// The API's contract, read from the api Worker itself: its OpenAPI document and its table of error codes. The Worker is
// loaded in Node with empty stand-ins for the platform's modules; no route but /openapi.json is called.
import { registerHooks } from "node:module";

const STAND_INS: Record<string, string> = {
  "cloudflare:workers": "export class DurableObject {} export class RpcTarget {}",
  "#wasm/quickjs.wasm": "export default null",
};

/** JSON Schema, as far as the documents show it. */
export interface Shape {
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  description?: string;
  properties?: Record<string, Shape>;
  required?: string[];
  additionalProperties?: Shape | boolean;
  items?: Shape;
  anyOf?: Shape[];
  oneOf?: Shape[];
  allOf?: Shape[];
  minimum?: number;
  maximum?: number;
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  schema: Shape;
}

export interface Operation {
  operationId: string;
  description?: string;
  security?: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Shape }> };
  /** Codes that it may answer with beside those that every route of its kind has. */
  "x-problems"?: string[];
  responses: Record<string, { description: string; content?: Record<string, { schema: Shape }> }>;
}

export type ProblemTable = Record<string, readonly [status: number, title: string]>;

export interface Contract {
  paths: Record<string, Record<string, Operation>>;
  problems: ProblemTable;
}

export async function loadContract(): Promise<Contract> {
  registerHooks({
    resolve(specifier, context, next) {
      const source = STAND_INS[specifier];
      if (source === undefined) return next(specifier, context);
      return { url: `data:text/javascript,${encodeURIComponent(source)}`, format: "module", shortCircuit: true };
    },
  });
  const { default: api } = await import("../../workers/api/index.ts");
  const { PROBLEMS } = await import("../../workers/api/problems.ts");
  const response = await api.request("/openapi.json", {}, {} as never);
  const { paths } = (await response.json()) as Pick<Contract, "paths">;
  return { paths, problems: PROBLEMS };
}
