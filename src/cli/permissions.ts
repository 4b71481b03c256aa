/** Drops permissions that only some commands need. */

/** Drops the permission to run programs, which the binary needs only to start its workers. */
export function dropRunPermission(): void {
  Deno.permissions.revokeSync({ name: "run" });
}
