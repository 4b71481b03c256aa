/** Advice about objects: what follows from what is known about them, and what to do. */

import { z } from "zod";
import type { Context } from "../auth/mod.ts";
import { CertificateAdvice, EndpointAdvice } from "../domain/advice/schema.ts";
import { certificates } from "../domain/certificates/mod.ts";
import { endpoints } from "../domain/endpoints/mod.ts";
import type { Resource } from "../resource/mod.ts";
import { jsonResponse } from "./http.ts";
import { type Operation, pageOf } from "./operation.ts";
import { refuseUnknown } from "./parameters.ts";

export function adviceOperations(): Operation[] {
  return [
    adviceOn(certificates, CertificateAdvice, async (ctx, id) => {
      const { adviseOnCertificate } = await import("../domain/advice/mod.ts");
      return await adviseOnCertificate(ctx, id);
    }),
    adviceOn(endpoints, EndpointAdvice, async (ctx, id) => {
      const { adviseOnEndpoint } = await import("../domain/advice/mod.ts");
      return await adviseOnEndpoint(ctx, id);
    }),
  ];
}

function adviceOn(
  { path, label }: Pick<Resource, "path" | "label">,
  schema: z.ZodType,
  advise: (ctx: Context, id: number) => Promise<readonly unknown[]>,
): Operation {
  return {
    method: "GET",
    path: `/api/${path}/{id}/advice/`,
    operationId: `${label}Advice`,
    summary: `Show what follows from what is known about ${label === "endpoint" ? "an" : "a"} ${label}`,
    description:
      "Needs `view`. The most urgent first, as codes with parameters; not paged. The first one is the headline of the " +
      "page. `action` is what to do, null for nothing; conclusions about objects that the caller may not view are left out.",
    tag: "plugins/certmgr",
    parameters: () => [],
    responses: { 200: { description: "The advice.", schema: z.object(pageOf(schema)) } },
    handle: async ({ ctx, id, query }) => {
      refuseUnknown(query);
      const results = await advise(ctx, id);
      return jsonResponse({ count: results.length, next: null, previous: null, results });
    },
  };
}
