/** Pages of objects made from definitions; those that certificates belong to list and count them. */

import type { Route } from "../call.ts";
import { type View, viewRoutes, views } from "../objects/mod.ts";
import { BELONGINGS } from "./belongings.ts";
import { countColumns } from "./certificate_counts.tsx";
import { certificateSection } from "./certificate_section.tsx";

export { expiryGroupDays } from "./certificate_section.tsx";

export const inventoryRoutes: readonly Route[] = views.flatMap((view) => viewRoutes(withCertificates(view)));

/** Returns the view with the certificates of an object above its other facts, and their numbers in the list. */
function withCertificates(view: View): View {
  const belonging = BELONGINGS.get(view.resource.objectType);
  return belonging === undefined ? view : {
    ...view,
    ...countColumns(view, belonging),
    lead: (call, object) => certificateSection(call, { view, object, belonging }),
  };
}
