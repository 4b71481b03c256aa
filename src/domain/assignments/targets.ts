/** Resources to which certificates can be assigned. */

import type { Resource } from "../../resource/mod.ts";
import { devices, services, virtualMachines } from "../inventory/mod.ts";

/** The objects to which certificates can be assigned; each has a tenant. */
export const ASSIGNED_RESOURCES: readonly Resource[] = [devices, virtualMachines, services];

export const ASSIGNED_TYPES: readonly string[] = ASSIGNED_RESOURCES.map((target) => target.objectType);
