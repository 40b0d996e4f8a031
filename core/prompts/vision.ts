// The prompt for the model that looks at an image, and the question where nobody asked one. Pure.
import policy from "./vision.md";

export function visionPrompt(): string {
  return policy.trim();
}

/** For an image of a message that goes to a model without eyes. */
export const DESCRIBE_QUESTION =
  "Describe the image, so that somebody who cannot see it can work with it. Quote all text that matters.";
