// The address that signs a browser in, from the code of `POST /v1/sign-in-links`. The code stands after `#`, so no server and no log of one
// gets it. Pure.

/** `url`: where the page is served, with or without a slash at its end. */
export function toSignInLink(url: string, code: string): string {
  return `${toPageAddress(url)}#/sign-in/${code}`;
}

/** `http://127.0.0.1:8787/`. */
export function toPageAddress(url: string): string {
  return `${url.replace(/\/+$/, "")}/`;
}
