/** `deno task schema`: writes the schema in GraphQL's own language. */

import { schemaText } from "./mod.ts";

console.log(schemaText().trimEnd());
