/** `deno task schema`: writes the schema in the GraphQL schema definition language. */

import { schemaText } from "./mod.ts";

console.log(schemaText().trimEnd());
