import { openRemoteDatabase } from "../../src/db/remote_client.ts";
import { startLibsqlServer } from "../support/libsql_server.ts";
import { testConformance } from "./database_conformance.ts";

testConformance("remote", async () => {
  const server = await startLibsqlServer();
  const database = openRemoteDatabase({ url: server.url });
  return {
    database,
    async [Symbol.asyncDispose](): Promise<void> {
      database.close();
      await server[Symbol.asyncDispose]();
    },
  };
});
