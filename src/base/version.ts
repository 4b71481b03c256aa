/** The release, as in the manifest. */

import manifest from "../../deno.json" with { type: "json" };

/** `0.9.0`. */
export const VERSION: string = manifest.version;
