/** Types of objects as people call them. */

import { resourceOf } from "../domain/registry.ts";

/** `dcim.device` is "device"; a type that there is no more is called by its name. */
export function typeLabel(objectType: string): string {
  return resourceOf(objectType)?.label ?? objectType;
}
