/** Resources to which certificates can be assigned. */

import type { Resource } from "../../resource/mod.ts";
import { devices, services, virtualMachines } from "../inventory/mod.ts";

/** The target resources; each has a tenant. */
export const TARGETS: readonly Resource[] = [devices, virtualMachines, services];

export const TARGET_TYPES: readonly string[] = TARGETS.map((target) => target.objectType);
