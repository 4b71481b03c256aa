/** The buttons next to the title of a list. */

import type { Call } from "../../call.ts";
import { type Html, Icon } from "../components/mod.ts";
import { listPath } from "../../paths.ts";
import { may } from "../detail/permitted_actions.ts";
import type { View } from "../view.ts";
import { nounOf } from "../../type_label.ts";

/** Parameters of the list that do not affect a file. */
const PAGING = ["limit", "offset", "ordering"];

/** Renders the link that downloads the list with its filters as a file. */
export function DownloadLink({ view: { download }, url }: { view: View; url: URL }): Html | null {
  if (download === undefined) return null;
  const [label, path] = download;
  const params = new URLSearchParams(url.search);
  for (const name of PAGING) params.delete(name);
  return <a role="button" class="secondary" href={`${path}?${params}`}>{label}</a>;
}

/** Renders the buttons that create objects, and the link to an overview. */
export function ListButtons(
  { call, view: { resource, addMany, overview }, empty }: {
    call: Call;
    view: View;
    /** Whether the list is empty: then the button for the first object is shown instead of the rows. */
    empty: boolean;
  },
): Html {
  const more = overview === undefined
    ? null
    : <a role="button" class="secondary" href={overview[1]}>{overview[0]}</a>;
  if (!may(call, resource, "add")) return <>{more}</>;
  return (
    <>
      {empty ? null : (
        <a role="button" href={`${listPath(resource)}new/`}>
          <Icon name="plus" />New {nounOf(resource)}
        </a>
      )}
      {addMany === undefined ? null : <a role="button" class="secondary" href={addMany[1]}>{addMany[0]}</a>}
      {more}
    </>
  );
}
