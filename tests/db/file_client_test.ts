import { openFileDatabase } from "../../src/db/file_client.ts";
import { testConformance } from "./database_conformance.ts";

testConformance("file", async () => {
  const folder = await Deno.makeTempDir();
  const database = await openFileDatabase({ path: `${folder}/test.db` });
  return {
    database,
    async [Symbol.asyncDispose](): Promise<void> {
      database.close();
      await Deno.remove(folder, { recursive: true });
    },
  };
});
