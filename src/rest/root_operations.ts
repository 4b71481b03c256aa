/** The maps of names to addresses, and the status of the service. */

import { z } from "zod";
import { serviceStatus } from "../domain/system/status/mod.ts";
import type { Resource } from "../resource/mod.ts";
import { json } from "./http.ts";
import type { Call, Operation } from "./operation.ts";

const MAP = z.record(z.string(), z.string());

/** `/api/` and below it one map for each level, and `/api/status/`. */
export function rootOperations(resources: readonly Resource[]): Operation[] {
  const paths = [...resources.map((resource) => resource.path), "status", "schema", "users/tokens/provision"];
  const levels = new Set(
    paths.flatMap((path) => {
      const parts = path.split("/");
      return parts.map((_, index) => parts.slice(0, index).join("/"));
    }).filter((level) => !resources.some((resource) => resource.path === level)),
  );
  return [...[...levels].map((level) => mapOperation(level, paths)), {
    method: "GET",
    path: "/api/status/",
    operationId: "getStatus",
    summary: "Versions and numbers of rows",
    description:
      "Needs a token. Certificates, tenants and users are counted as far as the caller may view them.",
    tag: "status",
    answers: { 200: { description: "The status.", schema: z.record(z.string(), z.unknown()) } },
    handle: async ({ ctx }: Call) => json(await serviceStatus(ctx)),
  }];
}

function mapOperation(level: string, paths: readonly string[]): Operation {
  const prefix = level === "" ? "" : `${level}/`;
  const names = [
    ...new Set(
      paths.filter((path) => path.startsWith(prefix)).map((path) =>
        path.slice(prefix.length).split("/")[0] as string
      ),
    ),
  ];
  return {
    method: "GET",
    path: `/api/${prefix}`,
    operationId: `map${
      level.split(/[/-]/).filter(Boolean).map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("")
    }`,
    summary: "Names and their addresses",
    description: "What is found below this address.",
    tag: "maps",
    anonymous: true,
    answers: { 200: { description: "The map.", schema: MAP } },
    handle: ({ ctx }) =>
      json(Object.fromEntries(names.map((name) => [name, `${ctx.baseUrl}/api/${prefix}${name}/`]))),
  };
}
