/** Every line of the specification that concerns the REST service, with the tests that prove it. */

import { CERTIFICATE_LINES } from "./certificate.ts";
import { COLLECTION_LINES } from "./collections.ts";
import { ENDPOINT_LINES } from "./endpoints.ts";
import { IMPORT_LINES } from "./imports.ts";
import type { Line } from "./line.ts";
import { PAGE_LINES } from "./pages.ts";
import { RESOURCE_LINES } from "./resources.ts";
import { RULE_LINES } from "./rules.ts";

/** All lines. */
export const LINES: readonly Line[] = [
  ...CERTIFICATE_LINES,
  ...RESOURCE_LINES,
  ...COLLECTION_LINES,
  ...IMPORT_LINES,
  ...ENDPOINT_LINES,
  ...RULE_LINES,
  ...PAGE_LINES,
];

const NOT_REST = "not part of the REST service";

/** Chapters, and parts of them, that this table leaves out. */
export const ELSEWHERE: readonly { readonly chapter: string; readonly reason: string }[] = [
  { chapter: "GraphQL", reason: NOT_REST },
  { chapter: "Authentication: tokens in the user's profile", reason: NOT_REST },
];
