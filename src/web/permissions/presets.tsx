/** Usual permissions to start from: each fills the form of a new one. */

import { isGranted, OBJECT_TYPES } from "../../auth/mod.ts";
import { permissions } from "../../domain/accounts/permissions/mod.ts";
import { tenants } from "../../domain/inventory/mod.ts";
import type { Call } from "../call.ts";
import type { Html } from "../components/mod.ts";
import { readRows } from "../objects/mod.ts";
import { listPath } from "../paths.ts";

/** Types that belong to a tenant, so that a constraint on its slug applies to them. */
const OF_TENANT = [
  "certmgr.certificate",
  "certmgr.endpoint",
  "dcim.device",
  "virtualization.virtualmachine",
  "ipam.service",
];
/** Types that everyone who only reads needs; accounts, webhooks and the logs are not among them. */
const READABLE = OBJECT_TYPES.filter((type) =>
  !/^(users|core)\.|webhook|notification|subscription|feed|savedview/.test(type)
);
/** Tenants to choose from. */
const MAX_TENANTS = 200;

interface Preset {
  readonly title: string;
  readonly types: readonly string[];
  readonly actions: readonly string[];
  /** Whether it is about one tenant. */
  readonly ofTenant?: boolean;
}

const PRESETS: readonly Preset[] = [
  { title: "Read the whole inventory", types: READABLE, actions: ["view"] },
  { title: "One tenant, read only", types: OF_TENANT, actions: ["view"], ofTenant: true },
  {
    title: "One tenant, manage",
    types: OF_TENANT,
    actions: ["view", "add", "change", "import", "renew", "bulk_operations"],
    ofTenant: true,
  },
];

/** Renders a form for each preset. They only fill the form below: nothing is stored. Two statements. */
export async function presetForms(call: Call): Promise<Html> {
  const { rows } = isGranted(call.ctx, "view", tenants.objectType) ? await readTenants(call) : { rows: [] };
  return (
    <section class="presets" aria-labelledby="presets">
      <h2 id="presets">Start from</h2>
      <div class="toolbar">
        {PRESETS.filter(({ ofTenant }) => !ofTenant || rows.length > 0).map((preset) => (
          <form method="get" action={`${listPath(permissions)}new/`}>
            <input type="hidden" name="name" value={preset.title} />
            {preset.types.map((type) => <input type="hidden" name="object_types" value={type} />)}
            {preset.actions.map((action) => <input type="hidden" name="actions" value={action} />)}
            {preset.ofTenant
              ? (
                <select name="constraints" aria-label={`Tenant: ${preset.title}`}>
                  {rows.map(({ name, slug }) => (
                    <option value={JSON.stringify({ tenant__slug: slug }, null, 2)}>{name}</option>
                  ))}
                </select>
              )
              : null}
            <button type="submit" class="secondary">{preset.title}</button>
          </form>
        ))}
      </div>
    </section>
  );
}

async function readTenants(call: Call): Promise<{ rows: readonly { name: string; slug: string }[] }> {
  return await readRows<{ name: string; slug: string }>(call, tenants, {
    params: { limit: MAX_TENANTS, ordering: "name" },
    fields: ["name", "slug"],
  });
}
