/** Clusters, on which virtual machines run. */

import { cluster_types as typeTable, clusters as table } from "../../db/schema/mod.ts";
import { customFieldsField, defineResource, id, text, timestamps } from "../../resource/mod.ts";
import { commentsField } from "./common_fields.ts";
import { detailField, namedResource, statusField } from "./named.ts";
import { tagsField } from "./tags.ts";
import { tenantField } from "./tenants.ts";

const CLUSTER = "virtualization.cluster";

/** `virtualization.clustertype`. */
export const clusterTypes = namedResource({
  objectType: "virtualization.clustertype",
  path: "virtualization/cluster-types",
  label: "cluster type",
  table: typeTable,
});

/** `virtualization.cluster`. */
export const clusters = defineResource({
  objectType: CLUSTER,
  path: "virtualization/clusters",
  label: "cluster",
  table,
  fields: [
    id(),
    text("name", { description: "Name; unique.", required: true, max: 100 }),
    detailField("type", {
      description: "The technology, by id, slug or name.",
      target: () => clusterTypes,
      onDelete: "restrict",
      required: true,
    }),
    statusField(["planned", "staging", "active", "decommissioning", "offline"]),
    tenantField(),
    text("description", { description: "What it is.", max: 200 }),
    commentsField(),
    tagsField(CLUSTER),
    customFieldsField(CLUSTER),
    ...timestamps(),
  ],
  brief: ["name", "description"],
  searchFields: ["name", "description"],
  order: [{ field: "name", descending: false }],
  unique: [{ columns: ["name"], field: "name", message: "cluster with this name already exists." }],
});
