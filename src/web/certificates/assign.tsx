/** The page on which certificates are assigned to an object. */

import { ASSIGNED_RESOURCES } from "../../domain/assignments/mod.ts";
import type { Call } from "../call.ts";
import { Checkbox, EmptyState, Form, TextArea } from "../components/mod.ts";
import { choicesFor } from "../objects/mod.ts";
import { page } from "../shell/mod.ts";

/** Renders the form for the device, virtual machine or service. */
export async function assignPage(call: Call, ids: readonly number[], back: string): Promise<Response> {
  const targets = await Promise.all(ASSIGNED_RESOURCES.map(async (target) => ({
    target,
    options: await choicesFor(call, target) ?? [],
  })));
  const some = targets.some(({ options }) => options.length > 0);
  return page(
    call,
    {
      title: `Assign ${ids.length} ${ids.length === 1 ? "certificate" : "certificates"}`,
      above: [["Certificates", "/certificates/"]],
    },
    some
      ? (
        <div class="box">
          <Form call={call} action="/certificates/bulk/">
            <input type="hidden" name="back" value={back} />
            {ids.map((id) => <input type="hidden" name="ids" value={String(id)} />)}
            <div class="field">
              <label for="f-target">Device, virtual machine or service</label>
              <select id="f-target" name="target" required>
                {targets.map(({ target, options }) => (
                  <optgroup label={target.labelPlural}>
                    {options.map(([id, label]) => (
                      <option value={`${target.objectType} ${id}`}>{label}</option>
                    ))}
                  </optgroup>
                ))}
              </select>
            </div>
            <Checkbox name="is_primary" label="Primary certificate of this object" />
            <TextArea name="notes" />
            <div class="form-actions">
              <button type="submit" name="action" value="assign_to">Assign</button>
              <a href={back}>Cancel</a>
            </div>
          </Form>
        </div>
      )
      : (
        <EmptyState text="No devices, virtual machines or services yet. Create one to assign certificates to it.">
          <a role="button" href="/devices/new/">New device</a>
          <a role="button" class="secondary" href="/services/new/">New service</a>
        </EmptyState>
      ),
  );
}
