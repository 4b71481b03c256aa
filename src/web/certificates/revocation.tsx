/** Asks for confirmation before the selected certificates are set to revoked. */

import { counted } from "../../base/amounts.ts";
import { isGranted } from "../../auth/mod.ts";
import { forbidden } from "../../base/errors.ts";
import { certificates } from "../../domain/certificates/mod.ts";
import type { Call } from "../call.ts";
import { Form } from "../components/mod.ts";
import { backOf, certificatesById, may, ObjectNames } from "../objects/mod.ts";
import { refused } from "../responses.ts";
import { page } from "../shell/mod.ts";

/** Renders the question with the names. One statement. Errors: forbidden. */
export async function revocationPage(call: Call, ids: readonly number[]): Promise<Response> {
  if (!may(call, certificates, "change")) throw forbidden();
  if (!isGranted(call.ctx, "bulk_operations", certificates.objectType)) throw forbidden();
  const back = backOf(call, certificates);
  const found = [...(await certificatesById(call, ids, ["id", "url", "display"])).values()];
  if (found.length === 0) return refused(call, back, "The selected certificates do not exist.");
  const count = counted(found.length, "certificate");
  return page(
    call,
    { title: `Set ${count} to revoked?`, above: [["Certificates", back]] },
    <div class="box">
      <ObjectNames objects={found} />
      <p>
        Only the authority can revoke{" "}
        {found.length === 1 ? "a certificate" : "certificates"}: this records that it has. The list of current
        certificates then leaves {found.length === 1 ? "it" : "them"} out.
      </p>
      <Form call={call} action="/certificates/bulk/" class="form-actions">
        <input type="hidden" name="back" value={back} />
        <input type="hidden" name="ids" value={found.map(({ id }) => id).join(",")} />
        <input type="hidden" name="status" value="revoked" />
        <input type="hidden" name="confirmed" value="yes" />
        <button type="submit" class="danger" name="action" value="status">Set to revoked</button>
        <a href={back}>Cancel</a>
      </Form>
    </div>,
  );
}
