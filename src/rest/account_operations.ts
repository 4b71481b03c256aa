/** Operations on accounts in addition to those of every resource: tokens by username and password. */

import { provisionToken } from "../domain/accounts/tokens/mod.ts";
import { type Operation, post } from "./operation.ts";

/** Returns the operations. */
export function accountOperations(): Operation[] {
  return [
    post("/api/users/tokens/provision/", provisionToken, {
      operationId: "provisionToken",
      summary: "Create a token by username and password",
      description:
        "Needs no token. The key is in this answer only. In addition to the credentials it takes the fields of a " +
        "token: `description`, `expires`, `write_enabled`, `allowed_ips`. Failed attempts are counted by account " +
        "and by address; too many of them are refused for a while (429).",
      tag: "users",
      anonymous: true,
      status: 201,
      answer: "The token; its key is shown here only.",
    }),
  ];
}
