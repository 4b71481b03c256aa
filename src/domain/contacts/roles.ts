/** Contact roles: in which capacity a contact is responsible. */

import { contact_roles as table } from "../../db/schema/mod.ts";
import { namedResource } from "../inventory/mod.ts";

/** `tenancy.contactrole`. The role with the slug `owner` takes precedence when an owner is determined. */
export const contactRoles = namedResource({
  objectType: "tenancy.contactrole",
  path: "tenancy/contact-roles",
  label: "contact role",
  table,
  about: "What such a contact is responsible for.",
});
