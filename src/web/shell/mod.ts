/** The frame round every page. */

export { errorPage } from "./error_page.tsx";
export { bare, page, type PageOptions } from "./layout.tsx";
