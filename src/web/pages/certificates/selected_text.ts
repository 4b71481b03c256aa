/** What the titles of pages about selected certificates call them. */

import type { Certificate } from "../../../domain/certificates/mod.ts";
import { counted } from "../../../base/amounts.ts";
import type { Call } from "../../call.ts";
import { isolate, truncate } from "../../kit/components/mod.ts";
import { certificatesById, withoutExpiry } from "../../kit/mod.ts";

/** Maximum characters of a name in a title. */
const NAME_CHARS = 150;

/** Returns the name of a single certificate, or the number of several. */
export function selectedText(found: readonly Pick<Certificate, "display">[]): string {
  const [only, ...others] = found;
  return only === undefined || others.length > 0
    ? counted(found.length, "certificate")
    : isolate(truncate(withoutExpiry(only.display), NAME_CHARS));
}

/** Returns the same for ids; a certificate that the user may not view is counted. At most one statement. */
export async function selectedTextOf(call: Call, ids: readonly number[]): Promise<string> {
  const found = ids.length === 1 ? await certificatesById(call, ids, ["id", "url", "display"]) : new Map();
  return found.size === 1 ? selectedText([...found.values()]) : counted(ids.length, "certificate");
}
