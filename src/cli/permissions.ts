/** Gives up permissions that only some commands need. */

/** Gives up the permission to run programs. The binary has it only to start its workers. */
export function dropRunPermission(): void {
  Deno.permissions.revokeSync({ name: "run" });
}
