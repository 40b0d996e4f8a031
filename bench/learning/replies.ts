// What a person says behind a task, in words of their own. Data only.

export type FollowUpKind = "thanks" | "complaint" | "correction";

export const THANKS = [
  "Thanks, that worked.",
  "Perfect, thank you!",
  "Great, exactly what I needed.",
  "That did it, thanks a lot.",
  "Danke, das passt so.",
  "Merci, c'est parfait.",
  "Looks good, well done.",
  "Yes, this is right. Thank you.",
] as const;

export const REPLIES = [
  "That did not work.",
  "No, that's wrong.",
  "This is not what I asked for.",
  "It failed again on my side.",
  "Das stimmt nicht.",
  "No, it still doesn't work.",
  "That is not right, I got it back.",
  "Sorry, but this is wrong.",
] as const;

/** Said before what would have been right. */
export const CORRECTIONS = [
  "That did not work.",
  "No, that's wrong.",
  "That is not right.",
  "I told you before:",
  "This was refused.",
  "Wrong again.",
] as const;

/** Of two people with opposite wishes, by topic: what one says and what the other says. */
export const PREFERENCES = [
  ["I always want dates with the day first.", "I always want dates with the year first."],
  ["Please keep every answer to one sentence.", "Please explain every answer at length."],
  ["I prefer metric units in everything you give me.", "I prefer imperial units in everything you give me."],
  ["Never use abbreviations when you write to me.", "Use abbreviations wherever you can when you write to me."],
] as const;
