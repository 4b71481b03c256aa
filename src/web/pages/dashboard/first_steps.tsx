/** The dashboard of an empty inventory: the next steps that the user may take. */

import { isGranted } from "../../../auth/mod.ts";
import { users } from "../../../domain/accounts/users/mod.ts";
import { mayImport } from "../../../domain/certificates/import/mod.ts";
import { endpoints } from "../../../domain/endpoints/mod.ts";
import { subscriptions } from "../../../domain/notices/mod.ts";
import type { Call } from "../../call.ts";
import { EmptyState, type Html, Icon } from "../../kit/components/mod.ts";
import { AddButton } from "../imports/mod.ts";
import { listPath } from "../../paths.ts";

/** The commands fill a separate database, so that the example never mixes with real certificates. */
const DEMO = `CERTMGR_DATA_DIR=demo-data deno task demo
CERTMGR_DATA_DIR=demo-data CERTMGR_PORT=8001 deno task start`;

/** Renders the steps, or a sentence for users who may take none. */
export function FirstSteps({ call }: { call: Call }): Html {
  const { ctx } = call;
  const invites = isGranted(ctx, "add", users.objectType);
  if (!mayImport(ctx) && !invites) {
    return <EmptyState text="No certificates yet. Ask an administrator for the permission to add some." />;
  }
  return (
    <ol class="steps">
      {mayImport(ctx)
        ? (
          <li class="card">
            <h2>Add certificates</h2>
            <p>
              Paste or drop what you have: PEM, DER and PKCS#7 files, or your spreadsheet as CSV. You see a
              preview before anything is stored.
            </p>
            <AddButton call={call} />
          </li>
        )
        : null}
      {isGranted(ctx, "add", endpoints.objectType)
        ? (
          <li class="card">
            <h2>Watch an endpoint</h2>
            <p>
              Give an address such as www.example.com:443. The service connects regularly and says which
              certificate is served there.
            </p>
            <a role="button" class="secondary" href={`${listPath(endpoints)}new/`}>
              <Icon name="endpoint" />New endpoint
            </a>
          </li>
        )
        : null}
      {isGranted(ctx, "add", subscriptions.objectType)
        ? (
          <li class="card">
            <h2>Get notified</h2>
            <p>
              Subscribe to what matters to you: expiries, failed checks, endpoints with a wrong certificate.
            </p>
            <a role="button" class="secondary" href={`${listPath(subscriptions)}new/`}>
              <Icon name="bell" />New subscription
            </a>
          </li>
        )
        : null}
      {invites
        ? (
          <li class="card">
            <h2>Invite people</h2>
            <p>
              Create users and decide what each may see and do: everything, one tenant, or only reading.
              Single sign-on with OpenID Connect can create them as well.
            </p>
            <a role="button" class="secondary" href={`${listPath(users)}new/`}>
              <Icon name="user" />New user
            </a>
          </li>
        )
        : null}
      {ctx.actor.isSuperuser
        ? (
          <li class="card">
            <h2>Look around with demo data</h2>
            <p>An example in a separate database. It needs a checkout of the source.</p>
            <details>
              <summary>Show the commands</summary>
              <p>They open the example on port 8001:</p>
              <pre>{DEMO}</pre>
            </details>
          </li>
        )
        : null}
    </ol>
  );
}
