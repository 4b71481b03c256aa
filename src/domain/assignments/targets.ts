/** What certificates are assigned to. */

import type { Resource } from "../../resource/mod.ts";
import { devices, services, virtualMachines } from "../inventory/mod.ts";

/** The resources; each has a tenant. */
export const TARGETS: readonly Resource[] = [devices, virtualMachines, services];
/** Their object types. */
export const TARGET_TYPES: readonly string[] = TARGETS.map((target) => target.objectType);
