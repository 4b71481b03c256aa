/** The button to the page that adds certificates. */

import { isGranted } from "../../auth/mod.ts";
import { certificates } from "../../domain/certificates/mod.ts";
import { mayImport } from "../../domain/certificates/import/mod.ts";
import type { Call } from "../call.ts";
import { type Html, Icon } from "../components/mod.ts";
import { ADD, NEW } from "./paths.ts";

/** Renders the button; nothing for users who may add no certificates. */
export function AddButton({ call: { ctx } }: { call: Call }): Html | null {
  const path = mayImport(ctx) ? ADD : isGranted(ctx, "add", certificates.objectType) ? NEW : undefined;
  return path === undefined ? null : (
    <a role="button" href={path}>
      <Icon name="plus" />Add certificates
    </a>
  );
}
