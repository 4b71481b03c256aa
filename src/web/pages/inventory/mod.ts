/** Pages of objects made from definitions; those that certificates belong to list and count them. */

import { contactAssignments } from "../../../domain/contact_assignments/mod.ts";
import { authorities } from "../../../domain/authorities/mod.ts";
import { auditEvents } from "../../../domain/system/audit_events/mod.ts";
import { sites, tenants } from "../../../domain/inventory/mod.ts";
import { ID, type Route } from "../../call.ts";
import { genericsOf, type View, viewRoutes } from "../../kit/mod.ts";
import { auditList } from "./audit_list.tsx";
import { views } from "./standard_views.ts";
import { BELONGINGS, type ObjectKind } from "./belongings.ts";
import { countColumns, withOwnExpiry } from "./certificate_counts.tsx";
import { certificateSection, ownState } from "./certificate_section.tsx";
import { contactSection } from "./contact_section.tsx";
import { hostColumns } from "./host_counts.tsx";
import { MOVE_PATH, moveLink, moveObjects, movePage } from "./move_objects.tsx";
import { listPath } from "../../paths.ts";

export { expiryGroupDays } from "./certificate_section.tsx";

const movePath = `${listPath(tenants)}${ID}/${MOVE_PATH}`;

export const inventoryRoutes: readonly Route[] = [
  ...views.flatMap((view) =>
    viewRoutes(completed(view), view.resource === auditEvents ? { list: auditList } : {})
  ),
  { method: "GET", path: movePath, handle: (call) => movePage(call) },
  { method: "POST", path: movePath, handle: moveObjects },
];

/**
 * Returns the view with what other objects know about its own: their certificates, in the list their numbers, their
 * contacts, the hosts of sites, and of authorities the state of their own certificates, above all else.
 */
function completed(view: View): View {
  const { resource, detail } = view;
  const kind = BELONGINGS.get(resource.objectType);
  const hasContacts = genericsOf(contactAssignments).some(({ targets }) => targets.includes(resource));
  return {
    ...withCounts(view, kind),
    detail: (call, object, permitted) => ({
      ...detail?.(call, object, permitted),
      ...(resource === tenants ? { actions: moveLink(call, object, "Move objects…") } : {}),
      ...(kind === undefined ? {} : {
        lead: Promise.all([
          resource === authorities ? ownState(call, { authority: object, belonging: kind }) : null,
          certificateSection(call, { view, object, belonging: kind }),
        ]),
      }),
      ...(hasContacts ? { sections: contactSection(call, view, object) } : {}),
    }),
    ...(resource !== tenants ? {} : {
      deletion: (call, { ids: [id = 0], prevented }) =>
        prevented ? { content: moveLink(call, { id }, "Move to another tenant…") } : {},
    }),
  };
}

/** Returns the view with the columns that count certificates and hosts. */
function withCounts(view: View, kind: ObjectKind | undefined): View {
  const counted = kind === undefined ? view : { ...view, ...countColumns(view, kind) };
  if (view.resource === sites) return { ...counted, ...hostColumns(counted) };
  return view.resource === authorities && kind !== undefined ? withOwnExpiry(counted, kind) : counted;
}
