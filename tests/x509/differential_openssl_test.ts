/** The short form of the comparison with OpenSSL and `@peculiar/x509`; needs --allow-run=openssl. */

import assert from "node:assert/strict";
import { compareReaders, REASONS } from "./differential.ts";

Deno.test("every difference to OpenSSL and to the library has a reason, over 500 certificates", async () => {
  const { compared, readByAll, classes, unexplained } = await compareReaders({ count: 500, seed: 20261123 });
  assert.deepEqual(unexplained, []);
  assert(readByAll > compared / 5, `${readByAll} of ${compared} certificates are read by all three`);
  assert(classes.size >= 5, `${classes.size} of ${REASONS.length} classes occur`);
});
