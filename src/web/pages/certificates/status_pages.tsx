/** Pages between the selection of certificates and the change of their status. */

import type { Brief } from "../../../resource/mod.ts";
import { isGranted } from "../../../auth/mod.ts";
import { forbidden } from "../../../base/errors.ts";
import { certificates, STATUSES } from "../../../domain/certificates/mod.ts";
import type { Call } from "../../call.ts";
import { type Content, Form, Select } from "../../kit/components/mod.ts";
import { backOf, certificatesById, may, ObjectNames } from "../../kit/mod.ts";
import { refused } from "../../responses.ts";
import { page } from "../../shell/mod.ts";
import { selectedText } from "./selected_text.ts";

/** Asks for the new status, and keeps the selection. One statement. Errors: forbidden. */
export async function chooseStatusPage(call: Call, ids: readonly number[]): Promise<Response> {
  return await statusPage(call, ids, (found) => ({
    title: `Set the status of ${selectedText(found)}`,
    status: 400,
    content: (
      <Select
        name="status"
        value=""
        required
        options={[["", "Choose"], ...STATUSES.map((one) => [one, one] as const)]}
        errors={{ status: ["Choose a status."] }}
      />
    ),
    button: <button type="submit" name="action" value="status">Set</button>,
  }));
}

/** Asks for confirmation before the selected certificates are set to revoked. One statement. Errors: forbidden. */
export async function revocationPage(call: Call, ids: readonly number[]): Promise<Response> {
  return await statusPage(call, ids, (found) => ({
    title: `Set ${selectedText(found)} to revoked?`,
    content: (
      <>
        <p>
          Only the authority can revoke{" "}
          {found.length === 1 ? "a certificate" : "certificates"}: this records that it has. The list of
          current certificates then leaves {found.length === 1 ? "it" : "them"} out.
        </p>
        <input type="hidden" name="status" value="revoked" />
        <input type="hidden" name="confirmed" value="yes" />
      </>
    ),
    button: <button type="submit" class="danger" name="action" value="status">Set to revoked</button>,
  }));
}

/** What a page adds to the names of the certificates. */
interface Question {
  readonly title: string;
  readonly status?: number;
  readonly content: Content;
  readonly button: Content;
}

async function statusPage(
  call: Call,
  ids: readonly number[],
  ask: (found: readonly Brief[]) => Question,
): Promise<Response> {
  if (!may(call, certificates, "change")) throw forbidden();
  if (!isGranted(call.ctx, "bulk_operations", certificates.objectType)) throw forbidden();
  const back = backOf(call, certificates);
  const found = [...(await certificatesById(call, ids, ["id", "url", "display"])).values()];
  if (found.length === 0) return refused(call, back, "The selected certificates do not exist.");
  const { title, status = 200, content, button } = ask(found);
  return page(
    call,
    { title, above: [["Certificates", back]], status },
    <div class="box form">
      <ObjectNames objects={found} />
      <Form call={call} action="/certificates/bulk/">
        <input type="hidden" name="back" value={back} />
        <input type="hidden" name="ids" value={found.map(({ id }) => id).join(",")} />
        {content}
        <div class="form-actions">
          {button}
          <a href={back}>Cancel</a>
        </div>
      </Form>
    </div>,
  );
}
