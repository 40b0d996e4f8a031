// A fresh profile of the shared stack, as its owner uses it: through the HTTP API. Used by tests in a browser and by their worlds.
import { inject } from "vitest";
import { type Client, createClient } from "../../../cli/connection/client.ts";

export interface Owner {
  url: string;
  profile: string;
  /** With all scopes. */
  key: string;
  client: Client;
  /** Sends any request. Throws ProblemError for an error's answer; `null` for an answer without a body. */
  call<T>(method: string, path: string, body?: object): Promise<T>;
}

export async function createOwner(stack: { url: string; operator: string } = inject("browserStack")): Promise<Owner> {
  const { url, operator } = stack;
  const { profile, key } = await createClient({ url, key: operator }).createProfile();
  const client = createClient({ url, key });
  const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await client.http.send(method, path, body === undefined ? {} : { body });
    const text = await response.text();
    return (text ? JSON.parse(text) : null) as T;
  };
  return { url, profile, key, client, call };
}
