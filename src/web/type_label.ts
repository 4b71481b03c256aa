/** Labels of object types. */

import { resourceOf } from "../domain/registry.ts";

/** Returns the label of a type: `dcim.device` is "device"; unknown types keep their name. */
export function typeLabel(objectType: string): string {
  return resourceOf(objectType)?.label ?? objectType;
}
