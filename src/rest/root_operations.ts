/** Operations that list URLs and show the status of the service. */

import { z } from "zod";
import { VERSION } from "../base/version.ts";
import { ServiceStatus, serviceStatus } from "../domain/system/status/service_status.ts";
import type { Resource } from "../resource/mod.ts";
import { jsonResponse } from "./http.ts";
import { type Call, get, type Operation } from "./operation.ts";

const PLUGINS_PATH = "plugins/installed-plugins";

const PLUGIN = z.object({
  name: z.string(),
  package: z.string(),
  author: z.string(),
  author_email: z.string(),
  description: z.string(),
  version: z.string(),
});

const MAP = z.record(z.string(), z.string());

/** Returns the operations of `/api/`, the levels below it, and `/api/status/`. */
export function rootOperations(resources: readonly Resource[]): Operation[] {
  const paths = [
    ...resources.map((resource) => resource.path),
    "status",
    "schema",
    "users/tokens/provision",
    "plugins/certmgr/validity-rules",
    PLUGINS_PATH,
  ];
  const levels = new Set(
    paths.flatMap((path) => {
      const parts = path.split("/");
      return parts.map((_, index) => parts.slice(0, index).join("/"));
    }).filter((level) => !resources.some((resource) => resource.path === level)),
  );
  return [
    ...[...levels].map((level) => mapOperation(level, paths)),
    get("/api/status/", {
      operationId: "getStatus",
      summary: "Read the versions and object counts",
      description: "Needs a token. Counts the certificates, tenants and users that the caller may view.",
      tag: "status",
      responses: { 200: { description: "The status.", schema: ServiceStatus } },
      handle: async ({ ctx }: Call) => jsonResponse(await serviceStatus(ctx)),
    }),
    get(`/api/${PLUGINS_PATH}/`, {
      operationId: "listInstalledPlugins",
      summary: "List the installed plugins",
      description: "Needs a token. NetBox clients request it; the only plugin is the service itself.",
      tag: "plugins",
      responses: { 200: { description: "The plugins.", schema: z.array(PLUGIN) } },
      handle: () =>
        jsonResponse([{
          name: "certmgr",
          package: "certmgr",
          author: "",
          author_email: "",
          description: "Certificate inventory",
          version: VERSION,
        }]),
    }),
  ];
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
  return get(`/api/${prefix}`, {
    operationId: `map${
      level.split(/[/-]/).filter(Boolean).map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("")
    }`,
    summary: "List the API below this path",
    description: "Names of applications or resources, with their URLs.",
    tag: "maps",
    anonymous: true,
    responses: { 200: { description: "URLs by name.", schema: MAP } },
    handle: ({ ctx }) =>
      jsonResponse(Object.fromEntries(names.map((name) => [name, `${ctx.baseUrl}/api/${prefix}${name}/`]))),
  });
}
