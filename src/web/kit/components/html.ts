/** Types of components and their children. */

import type { Child } from "hono/jsx";
import type { HtmlEscapedString } from "hono/utils/html";

/** Escaped markup. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** Children of an element: text (which is escaped), markup, lists of both, or nothing. */
export type Content = Child;
