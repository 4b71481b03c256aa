/** Types of components and their children. */

import type { Child } from "hono/jsx";
import type { HtmlEscapedString } from "hono/utils/html";

/** Markup: everything in it that came from outside has been escaped. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** What may stand between tags: text (escaped), markup, lists of both, nothing. */
export type Content = Child;
