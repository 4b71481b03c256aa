/** The queue in memory. */

import { memoryQueue } from "../../../../src/domain/webhooks/sending/mod.ts";
import { queueConformance } from "./queue_conformance.ts";

queueConformance("memory", memoryQueue);
