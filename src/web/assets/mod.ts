/** Styles, scripts and icons of the pages, each with a URL that changes with its content. */

import { sha256Hex } from "../../base/bytes.ts";
import inter from "./vendor/inter.woff2.b64.txt" with { type: "text" };
import mono from "./vendor/jetbrains-mono.woff2.b64.txt" with { type: "text" };
import pico from "./vendor/pico.min.css" with { type: "text" };
import boxes from "./app/boxes.css" with { type: "text" };
import certificate from "./app/certificate.css" with { type: "text" };
import figures from "./app/figures.css" with { type: "text" };
import forms from "./app/forms.css" with { type: "text" };
import frame from "./app/frame.css" with { type: "text" };
import icons from "./app/icons.css" with { type: "text" };
import tables from "./app/tables.css" with { type: "text" };
import text from "./app/text.css" with { type: "text" };
import tokens from "./app/tokens.css" with { type: "text" };
import appJs from "./app.js" with { type: "text" };
import comboboxJs from "./combobox.js" with { type: "text" };
import importsCss from "./imports.css" with { type: "text" };
import importsJs from "./imports.js" with { type: "text" };
import passkeysJs from "./passkeys.js" with { type: "text" };
import inPlaceJs from "./in_place.js" with { type: "text" };
import icon from "./icon.svg" with { type: "text" };

interface Asset {
  readonly type: string;
  /** Of a font in base64. */
  readonly text: string;
}

/** Hexadecimal digits of the hash in a URL. */
const DIGITS = 12;

const FONT = "font/woff2";
const FONTS: Readonly<Record<string, Asset>> = {
  "inter.woff2": { type: FONT, text: inter },
  "mono.woff2": { type: FONT, text: mono },
};
/** Served as one file; later rules override earlier ones. */
const appCss = [
  ...Object.entries(FONTS).map(fontFace),
  ...[tokens, text, icons, frame, boxes, forms, tables, figures, certificate],
].join("\n");

const FILES: Readonly<Record<string, Asset>> = {
  ...FONTS,
  "pico.css": { type: "text/css; charset=utf-8", text: pico },
  "app.css": { type: "text/css; charset=utf-8", text: appCss },
  "app.js": { type: "text/javascript; charset=utf-8", text: appJs },
  "imports.css": { type: "text/css; charset=utf-8", text: importsCss },
  "imports.js": { type: "text/javascript; charset=utf-8", text: importsJs },
  "passkeys.js": { type: "text/javascript; charset=utf-8", text: passkeysJs },
  "combobox.js": { type: "text/javascript; charset=utf-8", text: comboboxJs },
  "in_place.js": { type: "text/javascript; charset=utf-8", text: inPlaceJs },
  "icon.svg": { type: "image/svg+xml", text: icon },
};

const paths = new Map<string, string>();
const byPath = new Map<string, Asset>();
for (const [name, asset] of Object.entries(FILES)) {
  const path = pathOf(name, asset);
  paths.set(name, path);
  byPath.set(path, asset);
}

function pathOf(name: string, { text }: Asset): string {
  return `/assets/${sha256Hex(text).slice(0, DIGITS)}/${name}`;
}

/**
 * Returns the rule for a font, whose family is named after the file. Other scripts than Latin have the system's fonts, and so
 * has a page whose font comes too late, because its texts would move.
 */
function fontFace([name, asset]: [string, Asset]): string {
  return `@font-face { font-family: "certmgr ${name.split(".", 1)[0]}"; src: url("${
    pathOf(name, asset)
  }"); ` +
    "font-weight: 100 900; font-display: optional; }";
}

/** Returns the URL of a file. Throws if the name is unknown. */
export function assetPath(name: string): string {
  const path = paths.get(name);
  if (path === undefined) throw new Error(`Asset "${name}" is unknown`);
  return path;
}

/** Returns the file of a URL; undefined for an unknown or outdated URL. */
export function assetAt(path: string): Response | undefined {
  const asset = byPath.get(path);
  if (asset === undefined) return undefined;
  return new Response(asset.type === FONT ? Uint8Array.fromBase64(asset.text) : asset.text, {
    headers: {
      "content-type": asset.type,
      "cache-control": "public, max-age=31536000, immutable",
      "content-security-policy": "default-src 'none'",
      "cross-origin-resource-policy": "same-origin",
    },
  });
}
