/** Converts a server that a scan found to an endpoint. */

import { readHostName } from "../../../base/host_name.ts";
import { parseCertificate } from "../../../x509/mod.ts";
import type { EndpointAddress } from "../found_endpoints.ts";
import type { ScanHit } from "./scan.ts";

/**
 * Returns the endpoint with the first name of the certificate as its server name, because clients use names,
 * not addresses.
 */
export function scannedEndpoint({ target, answer }: ScanHit): EndpointAddress {
  const der = answer.presented?.certificates[0];
  const names = der === undefined ? [] : parseCertificate(der).certificate?.subjectAltNames ?? [];
  const [name = null] = names.flatMap(({ kind, value }) => kind === "dns" ? readHostName(value) ?? [] : []);
  return { host: target.address, port: target.port, server_name: name, protocol: "tls" };
}
