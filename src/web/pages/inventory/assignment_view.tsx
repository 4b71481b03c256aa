/** The view of assignments: which certificate is used where. */

import { isDictionary } from "../../../filters/mod.ts";
import type { Certificate } from "../../../domain/certificates/mod.ts";
import { ASSIGNED_RESOURCES, type Assignment, assignments } from "../../../domain/assignments/mod.ts";
import { services } from "../../../domain/inventory/mod.ts";
import { Badge, Day, Expiry } from "../../kit/components/mod.ts";
import { capitalized } from "../../messages.ts";
import { articled, pluralOf, typeLabel } from "../../type_label.ts";
import { certificatesById } from "../../kit/reference/choices.ts";
import { shortName } from "../../kit/reference/reference_text.ts";
import { ObjectLink } from "../../kit/detail/value.tsx";
import { defineView } from "../../kit/view.ts";

/** What the columns of the list read from other objects than the assignment; undefined if the user may not view them. */
type Listed = Assignment & {
  readonly expires?: Pick<Certificate, (typeof EXPIRY_FIELDS)[number]> | undefined;
  readonly port?: string | undefined;
};

/** Fields of the certificate that the list shows. */
const EXPIRY_FIELDS = ["valid_to", "days_remaining", "expiry_status"] as const;

export const assignmentView = defineView<Listed>({
  resource: assignments,
  name: { label: "Certificate", needs: ["certificate_detail"], of: certificateOf },
  columns: [
    {
      name: "expires",
      cell: ({ expires }) => expires === undefined ? "" : Expiry({ row: expires }),
      layout: ["folds"],
    },
    {
      name: "assigned_object",
      needs: ["assigned_object_type"],
      cell: (object) =>
        object.assigned_object === null ? targetOf(object) : ObjectLink({ brief: object.assigned_object }),
    },
    {
      name: "assigned_object_type",
      label: "Type",
      cell: ({ assigned_object_type: type }) => typeLabel(type),
    },
    { name: "port", cell: ({ port }) => port ?? "", layout: ["p3"] },
    {
      name: "is_primary",
      label: "Main",
      cell: ({ is_primary: main }) => main ? Badge({ value: "main", tone: "plain" }) : "",
    },
    { name: "created", label: "Since", sort: "id", cell: ({ created }) => Day({ at: created }) },
  ],
  // The expiry of the certificates, and the ports of services: "TCP 443". At most one statement.
  withMore: async (call, rows) => {
    const ids = rows.flatMap(({ certificate_detail: one }) => one?.id ?? []);
    const expiries = await certificatesById(call, ids, EXPIRY_FIELDS);
    return rows.map((row) => {
      const service = row.assigned_object_type === services.objectType ? row.assigned_object : null;
      const [protocol, ports = []] = [service?.protocol, service?.ports];
      const words = [isDictionary(protocol) ? protocol.label : "", [ports].flat().join(", ")]
        .filter(Boolean).join(" ");
      return {
        ...row,
        expires: expiries.get(row.certificate_detail?.id),
        port: service === null ? undefined : words,
      };
    });
  },
  ordering: "-id",
  tabs: {
    parts: ASSIGNED_RESOURCES.map((resource) =>
      [capitalized(pluralOf(resource)), { assigned_object_type: resource.objectType }] as const
    ),
  },
  filters: ["is_primary", "certificate_id", "device_id", "virtual_machine_id", "service_id"],
  empty:
    "No assignments yet. An assignment records which device, virtual machine or service uses a certificate.",
  title: {
    needs: ["certificate_detail", "assigned_object", "assigned_object_type"],
    of: (object) => `${certificateOf(object)} on ${targetOf(object)}`,
  },
  fields: {
    assigned_object_type: {
      choices: () => ASSIGNED_RESOURCES.map(({ objectType, label }) => [objectType, label] as const),
    },
    certificate: { help: "" },
    assigned_object: { help: "The device, virtual machine or service that uses the certificate." },
    is_primary: { help: "The object's main certificate, if it has several." },
  },
  detail: () => ({ without: ["certificate"] }),
});

function certificateOf({ certificate_detail: certificate }: Pick<Assignment, "certificate_detail">): string {
  return String(certificate?.common_name ?? "a certificate");
}

/** Returns the name of an assignment's target, if the user may view it. */
function targetOf({ assigned_object: object, assigned_object_type: type }: Assignment): string {
  return object !== null ? shortName(object.display) : articled(typeLabel(type));
}
