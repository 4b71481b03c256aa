/** Serves the application on a real socket, for clients in other languages. */

import { type As, signIn } from "./actors.ts";
import { type TestApp, testApp, type TestAppOptions } from "./app.ts";

/** A service that listens. */
export interface Listening extends AsyncDisposable {
  readonly service: TestApp;
  /** `http://127.0.0.1:port`. */
  readonly origin: string;
  /** Headers that identify an actor. */
  identify(as: As): Promise<Record<string, string>>;
}

/** Starts the application: `await using listening = await startListening()`. */
export async function startListening(options: TestAppOptions = {}): Promise<Listening> {
  const service = await testApp(options);
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request, { remoteAddr }) => service.app.fetch(request, { remoteAddr: remoteAddr as Deno.NetAddr }),
  );
  return {
    service,
    origin: `http://127.0.0.1:${server.addr.port}`,
    identify: (as) => signIn(service.database, as, service.clock.now()),
    async [Symbol.asyncDispose](): Promise<void> {
      await server.shutdown();
      await service[Symbol.asyncDispose]();
    },
  };
}
