/** The span that the runtime opens for each request, where tracing is on (`OTEL_DENO=true`). */

import { trace } from "@opentelemetry/api";

/**
 * Names the span after the request's route (OpenTelemetry semantic conventions, HTTP server: `{method} {http.route}`),
 * and ties it to the log line by the request's id. Does nothing while tracing is off.
 */
export function nameSpan(
  { method, route, requestId }: { method: string; route: string | undefined; requestId: string },
): void {
  const span = trace.getActiveSpan();
  if (span === undefined) return;
  span.setAttribute("certmgr.request_id", requestId);
  if (route === undefined) return;
  span.setAttribute("http.route", route);
  span.updateName(`${method} ${route}`);
}
