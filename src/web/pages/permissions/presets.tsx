/** Presets for common permissions: each fills the form of a new one. */

import { forbidden, notFound } from "../../../base/errors.ts";
import { isGranted, OBJECT_TYPES } from "../../../auth/mod.ts";
import { permissions } from "../../../domain/accounts/permissions/mod.ts";
import { type Tenant, tenants } from "../../../domain/inventory/mod.ts";
import type { Call } from "../../call.ts";
import { Form, type Html, truncate } from "../../kit/components/mod.ts";
import { textOf } from "../../forms.ts";
import { may, readRows } from "../../kit/mod.ts";
import { listPath } from "../../paths.ts";
import { seeOther } from "../../responses.ts";

/** Types whose objects belong to a tenant, so that a constraint on its slug applies to them. */
const OF_TENANT = [
  "certmgr.certificate",
  "certmgr.endpoint",
  "dcim.device",
  "virtualization.virtualmachine",
  "ipam.service",
];
/** Types that a reader of the inventory needs, without accounts, webhooks and logs. */
const READABLE = OBJECT_TYPES.filter((type) =>
  !/^(users|core)\.|webhook|notification|subscription|feed|savedview/.test(type)
);
/** Types whose objects belong to no tenant, and are referenced by those that do. */
const SHARED = [
  "tenancy.tenant",
  "extras.tag",
  "tenancy.contact",
  "tenancy.contactrole",
  "certmgr.certificateauthority",
].filter((type) => READABLE.some((one) => one === type));
/** Maximum number of tenants to choose from. */
const MAX_TENANTS = 200;

interface Preset {
  readonly title: string;
  readonly about: string;
  readonly types: readonly string[];
  readonly actions: readonly string[];
  /** Its name in that of a permission for one tenant; undefined for all tenants. */
  readonly ofTenant?: string;
}

const PRESETS: Readonly<Record<string, Preset>> = {
  "read-all": {
    title: "Read the whole inventory",
    about: "Everything of all tenants, and nothing of accounts, webhooks and logs.",
    types: READABLE,
    actions: ["view"],
  },
  "read-tenant": {
    title: "One tenant, read only",
    about: "Certificates, endpoints, devices, virtual machines and services of one tenant.",
    types: OF_TENANT,
    actions: ["view"],
    ofTenant: "read only",
  },
  "manage-tenant": {
    title: "One tenant, manage",
    about: "The same, and adding, changing, importing and renewing them.",
    types: OF_TENANT,
    actions: ["view", "add", "change", "import", "renew", "bulk_operations"],
    ofTenant: "manage",
  },
  "read-shared": {
    title: "Read what tenants share",
    about: "Tenants, tags, contacts, authorities: managers of one tenant choose from them.",
    types: SHARED,
    actions: ["view"],
  },
};

/** Path of the forms of presets. */
export const PRESET_PATH = "/permissions/preset/";

/** Renders a card for each preset, or the values that a preset has filled in. At most two statements. */
export async function presetForms(call: Call): Promise<Html> {
  const filled = call.query.get("preset");
  if (filled !== null && Object.hasOwn(PRESETS, filled)) return <Filled preset={PRESETS[filled] as Preset} />;
  const { rows } = isGranted(call.ctx, "view", tenants.objectType) ? await readTenants(call) : { rows: [] };
  return (
    <section aria-labelledby="presets">
      <h2 id="presets">Start from</h2>
      <ul class="choose presets">
        {Object.entries(PRESETS).filter(([, { ofTenant }]) => ofTenant === undefined || rows.length > 0)
          .map(([name, { title, about, ofTenant }]) => (
            <li>
              <Form call={call} action={PRESET_PATH}>
                <input type="hidden" name="preset" value={name} />
                <strong>{title}</strong>
                <small>{about}</small>
                {ofTenant === undefined ? null : (
                  <select name="tenant" aria-label={`Tenant: ${title}`}>
                    {rows.map(({ name, slug }) => <option value={slug}>{name}</option>)}
                  </select>
                )}
                <button type="submit" class="secondary small" aria-label={`Use: ${title}`}>Use</button>
              </Form>
            </li>
          ))}
      </ul>
    </section>
  );
}

/** Renders what was filled in, and what is left to do. */
function Filled({ preset: { types, actions, ofTenant } }: { preset: Preset }): Html {
  const count = `${types.length} object types and ${actions.length} ${
    actions.length === 1 ? "action" : "actions"
  }`;
  return (
    <div class="flash info" role="status">
      <div>
        <p>Filled in: {count}. Choose the users or groups, then create the permission.</p>
        {ofTenant === undefined ? null : (
          <p>
            To choose tenants, tags, contacts and authorities, they also need "{PRESETS["read-shared"]
              ?.title}".
          </p>
        )}
      </div>
    </div>
  );
}

/**
 * Redirects `POST` with `preset` and `tenant` to the filled form of a new permission. Stores nothing. Errors:
 * forbidden, not_found.
 */
export async function applyPreset(call: Call): Promise<Response> {
  if (!may(call, permissions, "add")) throw forbidden();
  const name = textOf(call.form, "preset");
  const preset = Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined;
  if (preset === undefined) throw notFound();
  const { title, types, actions, ofTenant } = preset;
  const params = new URLSearchParams({ preset: name });
  for (const type of types) params.append("object_types", type);
  for (const action of actions) params.append("actions", action);
  if (ofTenant === undefined) params.set("name", title);
  else {
    const tenant = await readTenant(call, textOf(call.form, "tenant"));
    if (tenant === undefined) throw notFound();
    params.set("name", truncate(`${tenant.name}: ${ofTenant}`, MAX_NAME));
    params.set("constraints", JSON.stringify({ tenant__slug: tenant.slug }, null, 2));
  }
  return seeOther(call, `${listPath(permissions)}new/?${params}`);
}

/** Maximum characters of a permission's name. */
const MAX_NAME = 90;

type Named = Pick<Tenant, "name" | "slug">;

async function readTenant(call: Call, slug: string): Promise<Named | undefined> {
  if (slug === "" || !isGranted(call.ctx, "view", tenants.objectType)) return undefined;
  const params = { slug, limit: 1 };
  return (await readRows(call.ctx, tenants, { params, fields: ["name", "slug"] })).rows[0];
}

async function readTenants(call: Call): Promise<{ rows: readonly Named[] }> {
  return await readRows(call.ctx, tenants, {
    params: { limit: MAX_TENANTS, ordering: "name" },
    fields: ["name", "slug"],
  });
}
