/** Asks for the new status of the selected certificates. */

import { counted } from "../../base/amounts.ts";
import { isGranted } from "../../auth/mod.ts";
import { forbidden } from "../../base/errors.ts";
import { certificates, STATUSES } from "../../domain/certificates/mod.ts";
import type { Call } from "../call.ts";
import { Form, Select } from "../components/mod.ts";
import { backOf, certificatesById, may, ObjectNames } from "../objects/mod.ts";
import { refused } from "../responses.ts";
import { page } from "../shell/mod.ts";

/** Renders the form, which keeps the selection. One statement. Errors: forbidden. */
export async function chooseStatusPage(call: Call, ids: readonly number[]): Promise<Response> {
  if (!may(call, certificates, "change")) throw forbidden();
  if (!isGranted(call.ctx, "bulk_operations", certificates.objectType)) throw forbidden();
  const back = backOf(call, certificates);
  const found = [...(await certificatesById(call, ids, ["id", "url", "display"])).values()];
  if (found.length === 0) return refused(call, back, "The selected certificates do not exist.");
  return page(
    call,
    {
      title: `Set the status of ${counted(found.length, "certificate")}`,
      above: [["Certificates", back]],
      status: 400,
    },
    <div class="box form">
      <ObjectNames objects={found} />
      <Form call={call} action="/certificates/bulk/">
        <input type="hidden" name="back" value={back} />
        <input type="hidden" name="ids" value={found.map(({ id }) => id).join(",")} />
        <Select
          name="status"
          value=""
          required
          options={[["", "Choose"], ...STATUSES.map((one) => [one, one] as const)]}
          errors={{ status: ["Choose a status."] }}
        />
        <div class="form-actions">
          <button type="submit" name="action" value="status">Set</button>
          <a href={back}>Cancel</a>
        </div>
      </Form>
    </div>,
  );
}
