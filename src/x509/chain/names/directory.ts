/**
 * directoryName: a name is within a constraint if it begins with the constraint's relative distinguished
 * names.
 */

import type { DistinguishedName } from "../../types.ts";
import type { NameForm } from "./form.ts";

/** Names are compared by the keys of their relative distinguished names (RFC 5280 §7.1). */
export const directoryForm: NameForm<DistinguishedName, DistinguishedName> = {
  label: "directory name",
  readName: ({ directoryName }) => directoryName,
  readConstraint: ({ directoryName }) => directoryName,
  within: (name, constraint) =>
    constraint.rdnKeys.length <= name.rdnKeys.length &&
    constraint.rdnKeys.every((key, index) => key === name.rdnKeys[index]),
};
