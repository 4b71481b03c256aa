/**
 * The web pages: HTML from the server, complete without scripts, better with a little of them.
 *
 * - `call.ts`: what a page is told (`Call`), and a page's form (`Route`). `routes.ts` lists all of them.
 * - `shell/`: the frame round every page (`page`), its navigation, the page of a refusal.
 * - `kit/`: what pages are made of: tables, forms, badges, moments, pagers.
 * - `objects/`: list, detail and forms of any resource, made from its definition.
 * - `account/`, `dashboard/`, `certificates/`, `compliance/`, `webhooks/`, …: the pages that are particular.
 * - `assets/`: styles and scripts, served under names that change with their content.
 *
 * A page asks verbs, as every surface does. A form carries its session's CSRF token (`<Form>` of the kit puts it in),
 * and is answered with a redirect (`done`, `refused` of `responses.ts`), or with itself and its errors (status 400).
 */

export { createWeb, type Web } from "./surface.ts";
