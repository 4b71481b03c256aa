/** Pages of objects made from definitions; those that certificates belong to list and count them. */

import { contactAssignments } from "../../../domain/contact_assignments/mod.ts";
import { authorities } from "../../../domain/authorities/mod.ts";
import { auditEvents } from "../../../domain/system/audit_events/mod.ts";
import { sites, tenants } from "../../../domain/inventory/mod.ts";
import { ID, type Route } from "../../call.ts";
import { genericsOf, type View, viewRoutes } from "../../kit/mod.ts";
import { auditList } from "./audit_list.tsx";
import { views } from "./standard_views.ts";
import { BELONGINGS } from "./belongings.ts";
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
    viewRoutes(
      withHosts(withMove(withContacts(withAuthority(withCertificates(view))))),
      view.resource === auditEvents ? { list: auditList } : {},
    )
  ),
  { method: "GET", path: movePath, handle: (call) => movePage(call) },
  { method: "POST", path: movePath, handle: moveObjects },
];

/** Returns the view of tenants with the action that moves their objects. */
function withMove(view: View): View {
  return view.resource !== tenants ? view : {
    ...view,
    actions: (call, tenant) => moveLink(call, tenant, "Move objects…"),
    instead: (call, tenant) => moveLink(call, tenant, "Move to another tenant…"),
  };
}

/** Returns the view with the certificates of an object above its other facts, and their numbers in the list. */
function withCertificates(view: View): View {
  const belonging = BELONGINGS.get(view.resource.objectType);
  return belonging === undefined ? view : {
    ...view,
    ...countColumns(view, belonging),
    lead: (call, object) => certificateSection(call, { view, object, belonging }),
  };
}

/** Returns the view of authorities with the state of their own certificates, on their pages above all else. */
function withAuthority(view: View): View {
  const { lead } = view;
  const belonging = BELONGINGS.get(authorities.objectType);
  if (view.resource !== authorities || belonging === undefined) return view;
  return {
    ...withOwnExpiry(view, belonging),
    lead: async (call, authority, permitted) =>
      await Promise.all([
        ownState(call, { authority, belonging }),
        lead?.(call, authority, permitted) ?? null,
      ]),
  };
}

/** Returns the view with the contacts of an object, if its type can have some. */
function withContacts(view: View): View {
  return !genericsOf(contactAssignments).some(({ targets }) => targets.includes(view.resource)) ? view : {
    ...view,
    sections: (call, object) => contactSection(call, view, object),
  };
}

/** Returns the view of sites with the numbers of their hosts. */
function withHosts(view: View): View {
  return view.resource === sites ? { ...view, ...hostColumns(view) } : view;
}
