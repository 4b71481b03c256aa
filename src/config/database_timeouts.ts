/** Settings about how long the database may take. */

import { DATABASE_TIMEOUT_S, QUERY_TIMEOUT_S, REPLICA_STALE_S } from "../base/limits.ts";
import { milliseconds } from "./parsers.ts";
import { setting } from "./define_setting.ts";

export const DATABASE_TIMEOUTS = {
  databaseTimeoutMs: setting("CERTMGR_DATABASE_TIMEOUT", {
    description:
      "Seconds within which the libSQL server must answer; otherwise the request is answered with 503.",
    default: String(DATABASE_TIMEOUT_S),
    parse: milliseconds(1, 60),
  }),
  queryTimeoutMs: setting("CERTMGR_QUERY_TIMEOUT", {
    description:
      "Seconds within which a long search or report in a database file must end; otherwise the request is answered with 503.",
    default: String(QUERY_TIMEOUT_S),
    parse: milliseconds(1, 600),
  }),
  replicaStaleMs: setting("CERTMGR_REPLICA_MAX_AGE", {
    description:
      "Seconds for which the copy of `CERTMGR_REPLICA_OF` answers reads while the server is unavailable; a token that was revoked on another node can stay valid for the same time.",
    default: String(REPLICA_STALE_S),
    parse: milliseconds(1, 86_400),
  }),
};
