/** Writes PEM (RFC 7468). */

/** Characters of one line. */
const LINE = 64;

/** Returns one PEM block with a line feed at its end. */
export function encodePem(der: Uint8Array, label = "CERTIFICATE"): string {
  const lines = der.toBase64().match(new RegExp(`.{1,${LINE}}`, "g")) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""].join("\n");
}
