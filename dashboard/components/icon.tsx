// Icons as lines of 24 by 24, drawn in the text's colour. They are next to words, so screen readers skip them.

const PATHS = {
  chat: "M4 5h16v11H9l-5 4z",
  list: "M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01",
  skill: "M5 4h11l3 3v13H5zM9 9h6M9 13h6M9 17h4",
  chart: "M4 20V4M4 20h16M8 16v-5M12 16V8M16 16v-7",
  memory: "M6 6h12v12H6zM9 2v4M15 2v4M9 18v4M15 18v4M2 9h4M2 15h4M18 9h4M18 15h4",
  board: "M4 4h5v16H4zM11 4h5v10h-5zM18 4h2v7h-2z",
  goal: "M12 3a9 9 0 1 0 9 9M12 8a4 4 0 1 0 4 4M12 12l8-8M17 3v4h4",
  clock: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l4 2",
  channel: "M4 12l16-8-5 16-3-7z",
  hook: "M12 3a4 4 0 0 1 3 6.5L18 15M7 11a4 4 0 1 0 3 6.5h5M18 15a3 3 0 1 1-2 5",
  person: "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4 20c1-4 4-6 8-6s7 2 8 6",
  plug: "M9 3v5M15 3v5M6 8h12v4a6 6 0 0 1-12 0zM12 18v3",
  money: "M4 7h16v10H4zM12 10a2 2 0 1 0 0 4 2 2 0 0 0 0-4",
  model: "M12 3l8 4.5v9L12 21l-8-4.5v-9zM4 7.5l8 4.5 8-4.5M12 12v9",
  key: "M15 4a5 5 0 1 0-4.6 7L4 17.5V20h3v-2h2v-2h2l1-1.5A5 5 0 0 0 15 4zM16 8h.01",
  settings: "M4 7h9M17 7h3M4 17h3M11 17h9M15 5v4M9 15v4",
  health: "M3 12h4l3-7 4 14 3-7h4",
  plus: "M12 5v14M5 12h14",
  close: "M6 6l12 12M18 6L6 18",
  check: "M5 12l5 5L19 7",
  warning: "M12 4l9 16H3zM12 10v4M12 17h.01",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l4 4",
  send: "M12 19V5M6 11l6-6 6 6",
  stop: "M7 7h10v10H7z",
  down: "M6 9l6 6 6-6",
  right: "M9 6l6 6-6 6",
  left: "M15 6l-6 6 6 6",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  trash: "M5 7h14M10 4h4M7 7l1 13h8l1-13M10 11v5M14 11v5",
  edit: "M4 20h4L19 9l-4-4L4 16z",
  download: "M12 4v11M7 11l5 5 5-5M4 20h16",
  upload: "M12 20V9M7 13l5-5 5 5M4 4h16",
  undo: "M9 7L4 12l5 5M4 12h10a5 5 0 0 1 0 10h-2",
  pin: "M9 4h6l-1 6 3 3v2H7v-2l3-3zM12 15v6",
  archive: "M3 5h18v4H3zM5 9v10h14V9M10 13h4",
  file: "M6 3h8l4 4v14H6zM14 3v4h4",
  image: "M4 5h16v14H4zM8 9h.01M4 17l5-5 4 4 3-3 4 4",
  tool: "M14 6a4 4 0 0 0 5 5l-9 9-4-4 9-9M14 6l3-3 4 4-2 4",
  branch: "M7 4v16M7 14c6 0 10-2 10-8M17 6V4M5 20h4M15 6h4",
  spark: "M12 3l2 6 6 2-6 2-2 6-2-6-6-2 6-2z",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M19 5l-2 2M7 17l-2 2",
  leave: "M14 4H5v16h9M10 12h11M17 8l4 4-4 4",
  play: "M8 5l11 7-11 7z",
  pause: "M8 5v14M16 5v14",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  retry: "M19 12a7 7 0 1 1-2.05-4.95L20 10M20 4v6h-6",
  thumb_up: "M8 20V10l4-7a2.5 2.5 0 0 1 2 3l-.7 4H19a2 2 0 0 1 2 2.4l-1.2 6A2 2 0 0 1 17.8 20zM4 10h4v10H4z",
  thumb_down: "M16 4v10l-4 7a2.5 2.5 0 0 1-2-3l.7-4H5a2 2 0 0 1-2-2.4l1.2-6A2 2 0 0 1 6.2 4zM16 4h4v10h-4z",
  more: "M5 12h.01M12 12h.01M19 12h.01",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
