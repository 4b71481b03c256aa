/** Pages of objects made from definitions; those that certificates belong to list them. */

import type { Route } from "../call.ts";
import { viewRoutes, views } from "../objects/mod.ts";
import { withCertificates } from "./certificate_section.tsx";

export const inventoryRoutes: readonly Route[] = views.flatMap((view) => viewRoutes(withCertificates(view)));
