/** Styles, scripts and icons of the pages, each with a URL that changes with its content. */

import { sha256Hex } from "../../base/bytes.ts";
import pico from "./vendor/pico.min.css" with { type: "text" };
import boxes from "./app/boxes.css" with { type: "text" };
import certificate from "./app/certificate.css" with { type: "text" };
import figures from "./app/figures.css" with { type: "text" };
import forms from "./app/forms.css" with { type: "text" };
import frame from "./app/frame.css" with { type: "text" };
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
  readonly text: string;
}

/** Served as one file; later rules override earlier ones. */
const appCss = [tokens, text, frame, boxes, forms, tables, figures, certificate].join("\n");

const FILES: Readonly<Record<string, Asset>> = {
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

/** Hexadecimal digits of the hash in a URL. */
const DIGITS = 12;

const paths = new Map(
  Object.entries(FILES).map((
    [name, { text }],
  ) => [name, `/assets/${sha256Hex(text).slice(0, DIGITS)}/${name}`]),
);
const byPath = new Map([...paths].map(([name, path]) => [path, FILES[name] as Asset]));

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
  return new Response(asset.text, {
    headers: {
      "content-type": asset.type,
      "cache-control": "public, max-age=31536000, immutable",
      "content-security-policy": "default-src 'none'",
      "cross-origin-resource-policy": "same-origin",
    },
  });
}
