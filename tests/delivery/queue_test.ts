/** The queue in memory. */

import { memoryQueue } from "../../src/delivery/mod.ts";
import { queueConformance } from "./queue_conformance.ts";

queueConformance("memory", memoryQueue);
