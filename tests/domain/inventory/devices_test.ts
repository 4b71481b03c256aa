/** Devices. */

import { hostScenarios } from "../../support/hosts.ts";
import { PATHS } from "../../support/paths.ts";

hostScenarios({ path: PATHS.devices, type: "dcim.device", label: "Device" });
