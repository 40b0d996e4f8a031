// How the Worker's e-mail handler hands a message over, as a request. Used by it and by channels/email.ts.

/** The method of a request that the Worker's e-mail handler makes. No request over HTTP can have it: a method has no space. */
export const EMAIL_METHOD = "E-MAIL MESSAGE";
export const ENVELOPE_TO = "x-envelope-to";
export const ENVELOPE_FROM = "x-envelope-from";
