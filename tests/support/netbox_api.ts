/** A NetBox with a certificate plugin: its documented REST API with invented objects. */

/** An object as the API shows it. */
export type RemoteObject = { id: number; display: string; [field: string]: unknown };

/** A fault of the next request whose URL contains the text. */
export interface Fault {
  readonly about: string;
  /** A status, or "broken" for a truncated body. */
  readonly kind: number | "broken";
}

/** A running server. */
export interface NetboxServer extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  /** Lists by path below `/api/`. */
  readonly lists: Record<string, RemoteObject[]>;
  readonly faults: Fault[];
  /** URLs that were requested. */
  readonly requests: string[];
}

/** Maximum number of objects of a page, whatever the requested limit. */
const MAX_PAGE = 100;
const TOKEN = "0123456789abcdef0123456789abcdef01234567";

/** Starts a server. */
export function startNetbox(lists: Record<string, RemoteObject[]>): NetboxServer {
  const faults: Fault[] = [];
  const requests: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const url = new URL(request.url);
    requests.push(`${url.pathname}${url.search}`);
    const fault = faults.findIndex(({ about }) => request.url.includes(about));
    const [found] = fault === -1 ? [] : faults.splice(fault, 1);
    if (found?.kind === "broken") return new Response('{"count": 1, "resu');
    if (found !== undefined) {
      return new Response("{}", { status: found.kind as number, headers: { "retry-after": "0" } });
    }
    if (request.headers.get("authorization") !== `Token ${TOKEN}`) return new Response("{}", { status: 403 });
    const list = lists[url.pathname.replace(/^\/netbox\/api\/|\/$/g, "")];
    if (list === undefined) return new Response("{}", { status: 404 });
    const limit = Math.min(Number(url.searchParams.get("limit") ?? 50), MAX_PAGE);
    const offset = Number(url.searchParams.get("offset") ?? 0);
    const results = list.toSorted((a, b) => a.id - b.id).slice(offset, offset + limit);
    const more = offset + limit < list.length;
    // Behind a proxy, links often have a host that clients cannot reach.
    return Response.json({
      count: list.length,
      next: more ? `http://internal.invalid/?limit=${limit}&offset=${offset + limit}` : null,
      previous: null,
      results,
    });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/netbox`,
    token: TOKEN,
    lists,
    faults,
    requests,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Returns the short form of an object inside others. */
function brief({ id, display, ...rest }: RemoteObject): RemoteObject {
  return {
    id,
    url: `http://internal.invalid/${id}/`,
    display,
    ...("slug" in rest ? { name: rest.name, slug: rest.slug } : {}),
  };
}

function named(id: number, name: string, more: Record<string, unknown> = {}): RemoteObject {
  const slug = name.toLowerCase().replaceAll(" ", "-");
  return { id, display: name, name, slug, description: "", tags: [], custom_fields: {}, ...more };
}

const choice = (value: string): { value: string; label: string } => ({ value, label: value.toUpperCase() });

/** Returns an inventory with certificates `1` to `count`, each assigned to one of a hundred devices. */
export function netboxInventory(
  { count, pem }: { count: number; pem?: { pem: string; chain: string } },
): Record<string, RemoteObject[]> {
  const tag = named(11, "Production", { color: "00ff00" });
  const everyone = named(9, "Everyone", { parent: null });
  // A group with a lower id than the one that contains it.
  const group = named(3, "Customers", { parent: brief(everyone) });
  const tenants = [1, 2, 3].map((n) =>
    named(40 + n, `Tenant ${n}`, { group: n === 1 ? brief(group) : null, tags: [brief(tag)] })
  );
  const site = named(7, "Zurich", { status: choice("active"), region: null, group: null, tenant: null });
  const maker = named(5, "Maker");
  const model = {
    id: 9,
    display: "M1",
    model: "M1",
    slug: "m1",
    manufacturer: brief(maker),
    part_number: "",
    description: "",
  };
  const role = named(2, "Web", { color: "ff0000", vm_role: true });
  const devices = Array.from({ length: Math.min(100, count) }, (_, index) => ({
    id: 1_000 + index,
    display: `host-${index}`,
    name: `host-${index}`,
    status: choice("active"),
    role: brief(role),
    device_type: brief(model),
    site: brief(site),
    tenant: brief(tenants[index % 3] as RemoteObject),
    serial: "",
    description: "",
    tags: [],
  }));
  const services = [{
    id: 77,
    display: "https (TCP/443)",
    name: "https",
    protocol: choice("tcp"),
    ports: [443],
    device: { id: 1_000, display: "host-0" },
    virtual_machine: null,
    description: "",
    tags: [],
  }];
  const choiceSet = {
    id: 12,
    display: "Stages",
    name: "Stages",
    extra_choices: [["test", "Test"], ["live", "Live"]],
    base_choices: null,
    order_alphabetically: false,
  };
  const field = (
    id: number,
    name: string,
    type: string,
    more: Record<string, unknown> = {},
  ): RemoteObject => ({
    id,
    display: name,
    name,
    label: "",
    object_types: ["netbox_ssl.certificate", "dcim.rack"],
    type: choice(type),
    related_object_type: null,
    required: false,
    default: null,
    weight: 100,
    filter_logic: choice("loose"),
    choice_set: null,
    ...more,
  });
  const contactGroups = [named(21, "On call", { parent: null }), named(22, "Web")];
  const contact = {
    id: 6,
    display: "Team Web",
    name: "Team Web",
    email: "web@acme.example",
    groups: contactGroups.map(brief),
    tags: [],
  };
  const contactRole = named(8, "Owner");
  const authority = {
    id: 4,
    display: "Acme CA",
    name: "Acme CA",
    type: "internal",
    issuer_pattern: "acme ca",
    is_approved: true,
  };
  const certificates = Array.from({ length: count }, (_, index) => {
    const id = 5_000 + index;
    return {
      id,
      display: `www-${index}`,
      common_name: `www-${index}.acme.example`,
      serial_number: (0x10000 + index).toString(16),
      issuer: "CN=Acme CA",
      valid_from: "2026-01-01T00:00:00+01:00",
      valid_to: "2026-12-31T23:59:59Z",
      fingerprint_sha256: id.toString(16).padStart(64, "0"),
      algorithm: "rsa",
      key_size: 2048,
      sans: [`www-${index}.acme.example`],
      status: index === 1 ? "replaced" : "active",
      // The successor has a lower or a higher id.
      replaced_by: index === 1 ? { id: 5_000 + count - 1, display: "newer" } : null,
      issuing_ca: brief(authority),
      tenant: brief(tenants[index % devices.length % 3] as RemoteObject),
      tags: index % 2 === 0 ? [brief(tag)] : [],
      pem_content: "",
      issuer_chain: "",
      private_key_location: "",
      comments: index % 10 === 0 ? `Order *${index}*` : "",
      custom_fields: {
        cost_center: `K-${index % 20}`,
        stage: index % 2 === 0 ? choice("live") : null,
        host: {
          id: 1_000 + index % devices.length,
          url: `http://internal.invalid/api/dcim/devices/1/`,
          display: "",
        },
      },
      ...(index === 0 && pem !== undefined ? pemFields(pem) : {}),
    };
  });
  return {
    "extras/tags": [tag],
    "extras/custom-field-choice-sets": [choiceSet],
    "extras/custom-fields": [
      field(1, "cost_center", "text"),
      field(2, "stage", "select", { choice_set: brief(choiceSet as RemoteObject) }),
      field(3, "host", "object", { related_object_type: "dcim.device" }),
    ],
    "tenancy/tenant-groups": [group, everyone],
    "tenancy/tenants": tenants,
    "dcim/sites": [site],
    "dcim/manufacturers": [maker],
    "dcim/device-types": [model],
    "dcim/device-roles": [role],
    "dcim/devices": devices,
    "ipam/services": services,
    "tenancy/contact-groups": contactGroups,
    "tenancy/contacts": [contact],
    "tenancy/contact-roles": [contactRole],
    "tenancy/contact-assignments": certificates.filter((_, index) => index % 5 === 0).map((
      { id },
      index,
    ) => ({
      id: 1 + index,
      display: "Team Web",
      object_type: "netbox_ssl.certificate",
      object_id: id,
      contact: brief(contact),
      role: brief(contactRole),
      priority: choice("primary"),
      tags: [],
    })),
    "plugins/ssl/certificate-authorities": [authority],
    "plugins/ssl/certificates": certificates,
    "plugins/ssl/assignments": certificates.map(({ id }, index) => ({
      id: 9_000 + index,
      display: `assignment ${index}`,
      certificate: id,
      assigned_object_type: "dcim.device",
      assigned_object_id: 1_000 + index % devices.length,
      is_primary: true,
      notes: "",
    })),
    "plugins/ssl/csrs": [],
    "plugins/ssl/compliance-policies": [{
      id: 1,
      display: "Long keys",
      name: "Long keys",
      policy_type: "min_key_size",
      severity: "critical",
      enabled: true,
      parameters: { min_bits: 3072 },
    }],
  };
}

function pemFields({ pem, chain }: { pem: string; chain: string }): Record<string, unknown> {
  const empty = [
    "common_name",
    "serial_number",
    "issuer",
    "valid_from",
    "valid_to",
    "fingerprint_sha256",
    "sans",
  ];
  return {
    ...Object.fromEntries(empty.map((name) => [name, undefined])),
    algorithm: undefined,
    key_size: undefined,
    pem_content: pem,
    issuer_chain: chain,
  };
}
