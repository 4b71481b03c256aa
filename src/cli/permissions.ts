/** Gives up permissions that only some commands need. */

/**
 * Gives up the permission to start programs. The binary has it, because a service with several workers starts itself
 * again; nothing else needs it.
 */
export function dropRunPermission(): void {
  Deno.permissions.revokeSync({ name: "run" });
}
