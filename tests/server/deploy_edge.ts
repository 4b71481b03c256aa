/** The steps that docs/deployment.md gives for a deployment to the edge. */

import assert from "node:assert/strict";
import { certmgr } from "../cli/process.ts";

/** Brings the schema up to date and makes a superuser; gives the key of their token. */
export async function deploy(env: Readonly<Record<string, string>>): Promise<string> {
  for (
    const [args, stdin] of [
      [["migrate"]],
      [["user", "create", "admin", "--superuser", "--password-stdin"], "a password of the edge"],
    ] as const
  ) {
    const { code, stderr } = await certmgr(args, { env, ...(stdin === undefined ? {} : { stdin }) });
    assert.equal(code, 0, stderr);
  }
  const { stdout } = await certmgr(["token", "create", "--user", "admin", "--json"], { env });
  return JSON.parse(stdout).key;
}
