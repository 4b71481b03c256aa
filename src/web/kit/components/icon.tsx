/** Icons: strokes on a grid of 24, drawn for this project. They accompany text and have no meaning without it. */

import type { Html } from "./html.ts";

const PATHS = {
  dashboard: "M4 4h7v9H4zM13 4h7v5h-7zM13 11h7v9h-7zM4 15h7v5H4z",
  certificate: "M4 4h16v11H4zM8 8h8M8 11h4M15 13v7l2-1.5L19 20v-7",
  authority: "M12 3l8 4v5c0 4.5-3.4 7.6-8 9-4.6-1.4-8-4.5-8-9V7zM9 12l2 2 4-4",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4.2 4.2 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4.2 4.2 0 0 0 6 6l1-1",
  request: "M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6",
  report: "M4 20V10M10 20V4M16 20v-7M21 20H3",
  policy: "M6 3h12v18H6zM9 8h6M9 12h6M9 16h3",
  check: "M4 12l5 5L20 6",
  tenant: "M4 21V5l8-2v18M12 9h8v12M4 21h17M7 8h2M7 12h2M7 16h2M15 13h2M15 17h2",
  site:
    "M12 21c-4-5-6-8-6-11a6 6 0 0 1 12 0c0 3-2 6-6 11zM12 8.500a1.500 1.500 0 1 0 0 3 1.500 1.500 0 0 0 0-3z",
  hardware: "M7 7h10v10H7zM10 3v4M14 3v4M10 17v4M14 17v4M3 10h4M3 14h4M17 10h4M17 14h4",
  tag: "M4 4h8l9 9-8 8-9-9zM8 8h.01",
  device: "M3 6h18v5H3zM3 13h18v5H3zM7 8.5h.01M7 15.5h.01",
  machine: "M3 4h18v12H3zM8 20h8M12 16v4",
  service: "M12 3v6M12 15v6M5 12H3M21 12h-2M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z",
  endpoint: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM3 12h18M12 3c5 5 5 13 0 18M12 3c-5 5-5 13 0 18",
  webhook: "M8 17a4 4 0 1 1-3-6M8 17h8M12 6a4 4 0 0 1 3.5 6L12 6M12 6a4 4 0 0 0-3.5 6M16 17a4 4 0 1 0 1-5",
  delivery: "M3 12l18-8-6 17-4-7zM11 14l4-4",
  user: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21c0-4 3.6-6 8-6s8 2 8 6",
  group:
    "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2 20c0-3.6 3-5.5 7-5.5s7 1.9 7 5.5M16 4.5a3.5 3.5 0 0 1 0 6.500M18 15c2.500.6 4 2.300 4 5",
  key: "M15 9a4 4 0 1 1-4 4L4 20M7 17l2 2M11 13l4-4",
  log: "M12 7v5l3 3M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z",
  menu: "M4 6h16M4 12h16M4 18h16",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l5 5",
  plus: "M12 5v14M5 12h14",
  upload: "M12 16V4M7 9l5-5 5 5M4 20h16",
  download: "M12 4v12M7 11l5 5 5-5M4 20h16",
  edit: "M4 20l1-5L16 4l4 4L9 19z",
  trash: "M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13",
  renew: "M20 11a8 8 0 0 0-14-4L4 9M4 4v5h5M4 13a8 8 0 0 0 14 4l2-2M20 20v-5h-5",
  copy: "M9 9h11v11H9zM15 9V4H4v11h5",
  theme: "M12 3a9 9 0 1 0 9 9c-4 2-9-1-9-9z",
  out: "M14 4h6v16h-6M4 12h11M11 8l4 4-4 4",
  warning: "M12 4l10 16H2zM12 10v4M12 17h.01",
  info: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 11v5M12 8h.01",
  cross: "M6 6l12 12M18 6L6 18",
  calendar: "M4 6h16v14H4zM4 10h16M8 3v4M16 3v4",
  view: "M2 12c4-6 16-6 20 0-4 6-16 6-20 0zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z",
  channel: "M4 10v4h4l9 5V5l-9 5zM20 9.500v5M8 14l1 6h3l-1-4.400",
  radar: "M12 12l6-6M18.500 5.500a9 9 0 1 0 2.500 6.500M15 9a4.200 4.200 0 1 0 1.200 3",
  field: "M3 7h18v10H3zM7 10v4",
  choices: "M5 6h.01M5 12h.01M5 18h.01M10 6h10M10 12h10M10 18h10",
  columns: "M4 5h16v14H4zM9.500 5v14M14.500 5v14",
  settings: "M4 7h9M17 7h3M15 5v4M4 17h3M11 17h9M9 15v4",
  bell: "M6 17V11a6 6 0 0 1 12 0v6l2 1H4zM10 21h4",
} as const;

export type IconName = keyof typeof PATHS;

/** All icons, rendered once: a page has forty of them. */
const ICONS: ReadonlyMap<string, Html> = new Map(
  Object.entries(PATHS).map(([name, path]) => [
    name,
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={path} />
    </svg>,
  ]),
);

/** Returns an icon, as high as the text next to it. */
export function Icon({ name }: { name: IconName }): Html {
  return ICONS.get(name) as Html;
}
