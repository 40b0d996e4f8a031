// Blueprints of jobs. Data only; a test fills each and has the jobs' own parser read it.
import type { JobBlueprint } from "../blueprint.ts";
import { DELIVER, HOURS, PAGE, ZONE, days, time } from "./common-slots.ts";

const SILENT = "If there is nothing to tell, answer with [SILENT] alone.";

export const JOB_BLUEPRINTS: readonly JobBlueprint[] = [
  {
    ...{ id: "morning-brief", kind: "job", title: "A morning brief" },
    purpose: "Tells you at the start of a day what is new on the subjects that you name.",
    slots: [
      { name: "topics", type: "text", ask: "What it is to be about", maxChars: 1_000 },
      { name: "lines", type: "number", ask: "How many lines at most", min: 3, max: 40, default: 8 },
      ...[time("07:30"), days("weekdays"), ZONE, DELIVER],
    ],
    job: {
      schedule: "{days} at {time}",
      prompt: [
        "Write a morning brief about these subjects: {topics}.",
        "Look up what is new since yesterday. Give the source of each point.",
        "Use at most {lines} lines. Put first what asks for action today.",
      ],
    },
  },
  {
    ...{ id: "weekly-review", kind: "job", title: "A weekly review" },
    purpose: "Looks back on what you did with the agent in a week, and lists what is still open.",
    slots: [
      { name: "day", type: "weekday", ask: "On which day", default: "friday" },
      { name: "focus", type: "text", ask: "What to look at above all", maxChars: 500, optional: true },
      ...[time("16:00"), ZONE, DELIVER],
    ],
    job: {
      schedule: "every {day} at {time}",
      prompt: [
        "Review the last seven days. Search the sessions of the profile for what was worked on.",
        "Look above all at: {focus}.",
        "Write three short lists: what was finished, what is open, and what to do next week. Name the session of each point.",
      ],
    },
  },
  {
    ...{ id: "page-watch", kind: "job", title: "A watch on a page" },
    purpose: "Tells you when a page changes, and what has changed.",
    slots: [
      PAGE,
      {
        name: "watch",
        type: "text",
        ask: "Which change matters",
        maxChars: 500,
        default: "Any change of the content.",
      },
      ...[HOURS, DELIVER],
    ],
    job: {
      schedule: "every {hours}h",
      gate: "url",
      prompt: [
        "The page {url} has changed. Read it.",
        "This change matters: {watch}.",
        `Say in a few sentences what is there now. ${SILENT}`,
      ],
    },
  },
  {
    ...{ id: "news-digest", kind: "job", title: "A digest" },
    purpose: "Collects the week's news on a subject into one short text with its sources.",
    slots: [
      { name: "subject", type: "text", ask: "The subject", maxChars: 500 },
      { name: "sources", type: "text", ask: "Sites to read first", maxChars: 1_000, optional: true },
      { name: "length", type: "choice", ask: "How long", options: ["short", "medium", "long"], default: "short" },
      { name: "day", type: "weekday", ask: "On which day", default: "monday" },
      ...[time("08:00"), ZONE, DELIVER],
    ],
    job: {
      schedule: "every {day} at {time}",
      prompt: [
        "Write a digest of the last seven days on this subject: {subject}.",
        "Read these sites first: {sources}.",
        "Length: {length}. Group what belongs together, and give the address of each source. Leave out what has no source.",
      ],
    },
  },
  {
    ...{ id: "price-watch", kind: "job", title: "A watch on a number" },
    purpose: "Tells you when a price or another number on a page passes a limit.",
    slots: [
      PAGE,
      { name: "number", type: "text", ask: "Which number of the page", maxChars: 300 },
      { name: "when", type: "choice", ask: "When to tell", options: ["below", "above"], default: "below" },
      { name: "limit", type: "number", ask: "The limit", min: 0, max: 999_999_999 },
      ...[HOURS, DELIVER],
    ],
    job: {
      schedule: "every {hours}h",
      gate: "url",
      prompt: [
        "The page {url} has changed. Read it and find this number: {number}.",
        "If it is {when} {limit}, tell the number and the address. If it is not, answer with [SILENT] alone.",
        "If the number is not on the page any more, say so.",
      ],
    },
  },
  {
    ...{ id: "release-watch", kind: "job", title: "A watch on releases" },
    purpose: "Tells you of a new release of a program, and what it means for your own work.",
    slots: [
      { ...PAGE, ask: "The page that lists the releases" },
      { name: "use", type: "text", ask: "How you use the program", maxChars: 1_000, optional: true },
      ...[HOURS, DELIVER],
    ],
    job: {
      schedule: "every {hours}h",
      gate: "url",
      prompt: [
        "The list of releases {url} has changed. Read it and find the newest release.",
        "The program is used like this: {use}.",
        `Tell its version, what breaks, what is new, and what to do before an upgrade. ${SILENT}`,
      ],
    },
  },
  {
    ...{ id: "service-check", kind: "job", title: "A check of a service" },
    purpose: "Opens a page of your service again and again, and tells you when it does not answer as it should.",
    slots: [
      { ...PAGE, ask: "The page to open" },
      { name: "expects", type: "text", ask: "Words that the page must have", maxChars: 300, optional: true },
      { name: "minutes", type: "number", ask: "Minutes between two checks", min: 15, max: 1_440, default: 60 },
      DELIVER,
    ],
    job: {
      schedule: "every {minutes}m",
      prompt: [
        "Read the page {url} once.",
        "It must have these words: {expects}.",
        "If it answers as it should, answer with [SILENT] alone. If not, say what it answers instead.",
      ],
    },
  },
  {
    ...{ id: "reminder", kind: "job", title: "A reminder" },
    purpose: "Reminds you of something on the days that you name.",
    slots: [
      { name: "about", type: "text", ask: "What to remind you of", maxChars: 500 },
      ...[time("09:00"), days("every day"), ZONE, DELIVER],
    ],
    job: {
      schedule: "{days} at {time}",
      prompt: ["Remind the person of this in one or two friendly sentences, and do nothing else: {about}."],
    },
  },
  {
    ...{ id: "routine", kind: "job", title: "A request that comes again" },
    purpose: "Does at its times what you ask for again and again.",
    slots: [
      { name: "request", type: "text", ask: "The request, as you would send it", maxChars: 2_000 },
      ...[time("08:00"), days("weekdays"), ZONE, DELIVER],
    ],
    job: {
      schedule: "{days} at {time}",
      prompt: [
        "Do what this request asks for. Nobody answers questions: where something is missing, say what you assumed.",
        "The request: {request}",
      ],
    },
  },
  {
    ...{ id: "daily-lesson", kind: "job", title: "A lesson a day" },
    purpose: "Teaches you a subject in short lessons that build on each other.",
    slots: [
      { name: "subject", type: "text", ask: "What to learn", maxChars: 300 },
      {
        ...{ name: "level", type: "choice", ask: "What you know already" },
        ...{ options: ["beginner", "intermediate", "advanced"], default: "beginner" },
      },
      { name: "lessons", type: "number", ask: "How many lessons", min: 1, max: 365, default: 20 },
      ...[time("18:00"), days("weekdays"), ZONE, DELIVER],
    ],
    job: {
      schedule: "{days} at {time}",
      repeat: "lessons",
      prompt: [
        "Give the next lesson of a course on this subject: {subject}. Level: {level}. The course has {lessons} lessons.",
        "Search the profile's sessions for the lessons before, and go on where they ended.",
        "Explain one idea in at most 200 words, with one example. End with a question, and answer the question of the lesson before.",
      ],
    },
  },
];
