/** Paths of the import pages, and the button that leads to them. */

import { isGranted } from "../../../auth/mod.ts";
import { certificates } from "../../../domain/certificates/mod.ts";
import { mayImport } from "../../../domain/certificates/import/mod.ts";
import type { Call } from "../../call.ts";
import { type Html, Icon } from "../../kit/components/mod.ts";

/** The form for all imports. */
export const ADD = "/certificates/add/";
/** Previews of tables. */
const PREVIEWS = `${ADD}preview/`;
/** The form for one certificate, as PEM or field by field. */
export const MANUAL = "/certificates/new/";
/** A preview's page in Hono's notation. */
export const PREVIEW = `${PREVIEWS}:key{[A-Za-z0-9]+}/`;

/** Former paths of the form. */
export const MOVED: Readonly<Record<string, string>> = {
  "/certificates/import/": ADD,
  "/certificates/bulk-import/": ADD,
  "/certificates/enter/": MANUAL,
};

/** Returns the path of a preview's page. */
export function previewPath(key: string): string {
  return `${PREVIEWS}${key}/`;
}

/** Renders the button; nothing for users who may add no certificates. */
export function AddButton({ call: { ctx } }: { call: Call }): Html | null {
  return mayImport(ctx) || isGranted(ctx, "add", certificates.objectType)
    ? (
      <a role="button" href={mayImport(ctx) ? ADD : MANUAL}>
        <Icon name="plus" />Add certificates
      </a>
    )
    : null;
}
