// How the person called this program, for the commands that it proposes.

/** `npm run` names its script in the environment. */
export const PROGRAM = process.env.npm_lifecycle_event === "chat" ? "npm run chat --" : "talaria";
