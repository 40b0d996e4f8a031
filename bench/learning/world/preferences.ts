// Opposite preferences of two people: one pair of sentences per topic. Data only.
export const PREFERENCES = [
  ["I always want dates with the day first.", "I always want dates with the year first."],
  ["Please keep every answer to one sentence.", "Please explain every answer at length."],
  ["I prefer metric units in everything you give me.", "I prefer imperial units in everything you give me."],
  ["Never use abbreviations when you write to me.", "Use abbreviations wherever you can when you write to me."],
] as const;
