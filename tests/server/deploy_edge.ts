/** The steps of docs/deployment.md for a deployment to the edge. */

import assert from "node:assert/strict";
import { certmgr } from "../cli/process.ts";

/** Migrates the schema, creates a superuser, and returns the key of their token. */
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
