// Times of runs that the Account and the API share.

/** A run whose message has not arrived after this time counts as given up. A retry of the request still begins it. */
export const START_MS = 60_000;
