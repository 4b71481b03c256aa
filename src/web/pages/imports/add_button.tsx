/** The button to the page that adds certificates. */

import { isGranted } from "../../../auth/mod.ts";
import { certificates } from "../../../domain/certificates/mod.ts";
import { mayImport } from "../../../domain/certificates/import/mod.ts";
import type { Call } from "../../call.ts";
import { type Html, Icon } from "../../kit/components/mod.ts";
import { ADD, NEW } from "./paths.ts";

/** Returns the path of the form that reads certificates as PEM, for users who may add certificates. */
export function addPath(ctx: Call["ctx"]): string {
  return mayImport(ctx) ? ADD : NEW;
}

/** Renders the button; nothing for users who may add no certificates. */
export function AddButton({ call: { ctx } }: { call: Call }): Html | null {
  return mayImport(ctx) || isGranted(ctx, "add", certificates.objectType)
    ? (
      <a role="button" href={addPath(ctx)}>
        <Icon name="plus" />Add certificates
      </a>
    )
    : null;
}
