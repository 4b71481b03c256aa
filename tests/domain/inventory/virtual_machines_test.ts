/** Virtual machines. */

import { hostScenarios } from "../../support/hosts.ts";
import { PATHS } from "../../support/paths.ts";

hostScenarios({ path: PATHS.machines, type: "virtualization.virtualmachine", label: "Virtual machine" });
