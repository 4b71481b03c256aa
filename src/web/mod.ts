/**
 * The web pages: HTML from the server, which works without scripts; a few scripts improve it.
 *
 * - `call.ts`: what a page receives (`Call`), and the type of a page (`Route`). `routes.ts` lists all of them.
 * - `shell/`: the layout of every page (`page`), its navigation, and the error page.
 * - `kit/`: list, detail and forms of any resource, made from its definition; `kit/components/`: tables, fields, badges.
 * - `pages/`: the pages of each noun.
 * - `assets/`: styles and scripts, served under names that change with their content.
 *
 * A page calls operations, as every interface does. A form carries the CSRF token of its session (`<Form>` adds it);
 * the answer is a redirect (`done`, `refused` of `responses.ts`), or the form again with its errors (status 400).
 */

export { createWeb } from "./handler.ts";
