/** Other names of references, for NetBox's clients. */

import type { Resource } from "../definition.ts";
import type { Field } from "../field.ts";
import type { Brief } from "../objects.ts";
import { derived } from "./derived.ts";
import { BRIEF, referenceSchema } from "./reference.ts";

/**
 * Returns a field that returns another field under a second name, and accepts references to `target`. The
 * resource's `prepare` moves its input to the stored field, and removes it.
 * @param of The other field; `read` may restrict what is returned.
 */
export function aliasOf<const Name extends string>(
  name: Name,
  { description, target, keys, needs, of, read = (given) => given }: {
    description: string;
    target: Resource;
    keys: readonly string[];
    needs: readonly string[];
    of: Field;
    read?: (read: Field["read"]) => Field["read"];
  },
): Field<Name, Brief | null, number | null> {
  return {
    ...derived(name, { description, output: BRIEF.nullable(), needs, read: read(of.read) }),
    readOnly: false,
    input: referenceSchema(keys).nullable(),
    refers: { target: () => target },
    shown: { alias: true },
  };
}
