/** The span that the runtime opens for each request, where tracing is on (`OTEL_DENO=true`). */

/** Global key under which all copies of OpenTelemetry's API of this major version find the tracer. */
const TRACER = Symbol.for("opentelemetry.js.api.1");

/**
 * Names the span after the request's route (OpenTelemetry semantic conventions, HTTP server: `{method} {http.route}`),
 * and ties it to the log line by the request's id. Does nothing while tracing is off; the API is loaded with the first
 * request that is traced.
 */
export async function nameSpan(
  { method, route, requestId }: { method: string; route: string | undefined; requestId: string },
): Promise<void> {
  if (!(TRACER in globalThis)) return;
  const { trace } = await import("@opentelemetry/api");
  const span = trace.getActiveSpan();
  if (span === undefined) return;
  span.setAttribute("certmgr.request_id", requestId);
  if (route === undefined) return;
  span.setAttribute("http.route", route);
  span.updateName(`${method} ${route}`);
}
