// The headers of the page, as the file `_headers` that Cloudflare and Miniflare read beside the assets. Written by build.ts.

/** No script, style or connection of another host. Text becomes HTML only through DOMPurify, which is what Trusted Types enforce. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types dompurify",
].join("; ");

/** The page asks for none of the browser's powerful features, and nothing that it shows can. */
const NO_PERMISSIONS = [
  "accelerometer",
  "camera",
  "display-capture",
  "geolocation",
  "gyroscope",
  "hid",
  "magnetometer",
  "microphone",
  "midi",
  "payment",
  "publickey-credentials-get",
  "screen-wake-lock",
  "serial",
  "usb",
  "xr-spatial-tracking",
]
  .map((feature) => `${feature}=()`)
  .join(", ");

/**
 * A browser may look up the names of all links of a page without TLS before anybody follows one, and a model writes links. The security
 * headers are those of every path, so that no other spelling of the document's address escapes them.
 */
export const PAGE_HEADERS = `/*
  Content-Security-Policy: ${POLICY}
  Cross-Origin-Opener-Policy: same-origin
  Cross-Origin-Resource-Policy: same-origin
  Permissions-Policy: ${NO_PERMISSIONS}
  Referrer-Policy: no-referrer
  X-Content-Type-Options: nosniff
  X-DNS-Prefetch-Control: off

/
  Cache-Control: no-cache

# The names of these files change with their content.
/assets/*
  Cache-Control: public, max-age=31536000, immutable
`;
