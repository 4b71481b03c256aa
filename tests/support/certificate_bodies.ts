/** Bodies of requests about certificates, and the errors of invalid ones. */

/** Everything that direct creation needs. */
export const WHOLE_CERTIFICATE = {
  common_name: "new.example",
  serial_number: "0F:FF",
  issuer: "CN=Some CA",
  valid_from: "2026-01-01",
  valid_to: "2026-12-31",
  fingerprint_sha256: "c".repeat(64),
  algorithm: "rsa",
};

/** Returns the same body without one field. */
export function without(name: keyof typeof WHOLE_CERTIFICATE): Record<string, unknown> {
  return Object.fromEntries(Object.entries(WHOLE_CERTIFICATE).filter(([key]) => key !== name));
}

/** The error for a serial number and issuer that exist already. */
export const IDENTITY_TAKEN = {
  __all__: ["Certificate with this Serial number and Issuer already exists."],
};
