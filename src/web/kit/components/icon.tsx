/** Icons, which accompany text and have no meaning without it. */

import type { Html } from "./html.ts";

/** Their names in `icons.css`. */
export type IconName =
  | "dashboard"
  | "certificate"
  | "authority"
  | "link"
  | "request"
  | "report"
  | "policy"
  | "check"
  | "tenant"
  | "site"
  | "hardware"
  | "tag"
  | "device"
  | "machine"
  | "service"
  | "endpoint"
  | "webhook"
  | "delivery"
  | "user"
  | "group"
  | "key"
  | "log"
  | "menu"
  | "search"
  | "plus"
  | "upload"
  | "download"
  | "edit"
  | "trash"
  | "renew"
  | "copy"
  | "out"
  | "warning"
  | "info"
  | "cross"
  | "calendar"
  | "view"
  | "channel"
  | "radar"
  | "field"
  | "choices"
  | "columns"
  | "settings"
  | "bell";

/** Returns an icon, as high as the text next to it. */
export function Icon({ name }: { name: IconName }): Html {
  return <i class={`icon i-${name}`}></i>;
}
