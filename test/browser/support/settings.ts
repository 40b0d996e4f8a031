// The operator's settings of the stack that tests in a browser share. Used by global-setup.ts and bench/page.ts.

export const SETTINGS = {};
