/** The theme, light or dark, stored in a cookie. */

import type { Call } from "../../call.ts";
import { themeCookie } from "../../cookies.ts";
import { textOf } from "../../forms.ts";
import { ownPath, seeOther } from "../../responses.ts";

/** Changes the theme and returns to the same page. */
export function changeTheme(call: Call): Response {
  const given = textOf(call.form, "theme");
  const theme = given === "light" || given === "dark" ? given : "auto";
  return seeOther(call, ownPath(call.form.get("next")), { cookies: [themeCookie(call.client, theme)] });
}
