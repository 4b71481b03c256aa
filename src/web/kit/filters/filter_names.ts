/** The filters of a field map by name. */

import { memoize } from "../../../base/memoize.ts";
import { type FieldMap, type FilterName, filterNames } from "../../../filters/mod.ts";

/** Returns the query parameters of a field map, without those of related objects; built once. */
export const filtersByName = memoize((map: FieldMap): ReadonlyMap<string, FilterName> =>
  new Map([...filterNames(map)].map((one) => [one.name, one]))
);
