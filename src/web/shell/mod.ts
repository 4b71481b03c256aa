/** The layout of all pages. */

export { errorPage } from "./error_page.tsx";
export { entriesFor } from "./navigation.tsx";
export { bare, page } from "./layout.tsx";
