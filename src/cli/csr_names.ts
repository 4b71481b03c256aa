/** Parses the key type and the names of a signing request. */

import { ALL_FIELDS, getObject } from "../resource/mod.ts";
import { AppError } from "../base/errors.ts";
import { certificates } from "../domain/certificates/mod.ts";
import { readRequestedName, type RequestedName } from "../x509/mod.ts";
import { withDatabase } from "./database.ts";
import { CommandError, UsageError } from "./failure.ts";
import { callService, type ServiceAddress, ServiceRefusal } from "./service_client.ts";

/** Types of keys for which a request can be created. */
export const KEY_TYPES = ["ecdsa-p256", "rsa-2048", "rsa-3072", "ed25519"] as const;
/** One of {@link KEY_TYPES}. */
export type KeyType = typeof KEY_TYPES[number];

/** Maximum length of a common name (RFC 5280, ub-common-name). */
const MAX_COMMON_NAME_CHARS = 64;

/** The names of a request. */
export interface Names {
  readonly commonName: string;
  readonly names: readonly RequestedName[];
}

/** Reads `--key-type`. Errors: UsageError. */
export function readKeyType(text: string): KeyType {
  const type = KEY_TYPES.find((one) => one === text);
  if (type !== undefined) return type;
  throw new UsageError(`Invalid key type ${JSON.stringify(text)}. Use ${KEY_TYPES.join(", ")}.`);
}

/** Reads `--for`. Errors: UsageError. */
export function readCertificateId(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new UsageError(`Invalid certificate id ${JSON.stringify(text)}. Use the number in its "id" field.`);
}

/** Reads `--cn`. Errors: UsageError. */
export function readCommonName(text: string): string {
  if (text.trim() !== "" && [...text].length <= MAX_COMMON_NAME_CHARS && !/\p{C}/u.test(text)) return text;
  throw new UsageError(
    `Invalid common name ${JSON.stringify(text)}. Use 1 to ${MAX_COMMON_NAME_CHARS} visible characters.`,
  );
}

/** Reads a `--san`. Errors: UsageError. */
export function readSan(text: string): RequestedName {
  const name = readRequestedName(text);
  if (typeof name === "string") throw new UsageError(name);
  return name;
}

/**
 * Returns the names of a request: those of the options, and for missing ones those of an existing
 * certificate. If there is no alternative name, a common name that is a host name or an address becomes one.
 * Errors: UsageError, CommandError.
 */
export async function requestedNames(
  { cn, san, certificate, service }: {
    cn: string | undefined;
    san: readonly RequestedName[];
    certificate: number | undefined;
    service: ServiceAddress | undefined;
  },
): Promise<Names> {
  const known = certificate === undefined ? undefined : await namesOf(certificate, service);
  const commonName = cn ?? known?.commonName;
  if (commonName === undefined) {
    throw new UsageError(
      "The request has no name. Use --cn <name>, or --for <id> of an existing certificate.",
    );
  }
  if (san.length > 0) return { commonName, names: san };
  if (known !== undefined && known.names.length > 0) return { commonName, names: known.names };
  const own = [commonName, `IP:${commonName}`].map(readRequestedName).find((name) =>
    typeof name !== "string"
  );
  return { commonName, names: own === undefined ? [] : [own] };
}

/** Returns the names of a certificate in the inventory. Errors: CommandError. */
async function namesOf(id: number, service: ServiceAddress | undefined): Promise<Names> {
  const { common_name, sans } = await readCertificate(id, service);
  try {
    return { commonName: readCommonName(common_name), names: sans.map(readSan) };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new CommandError(
      `Names of certificate ${id}: ${error.message} Set other names with --cn and --san.`,
      {
        cause: error,
      },
    );
  }
}

interface Named {
  readonly common_name: string;
  readonly sans: readonly string[];
}

async function readCertificate(id: number, service: ServiceAddress | undefined): Promise<Named> {
  try {
    if (service !== undefined) return await callService(service, { path: `certificates/${id}/` });
    const { object } = await withDatabase(
      (ctx) => getObject({ ctx, resource: certificates, id, selection: ALL_FIELDS }),
      { otherwise: ", or a running service with --url" },
    );
    return object;
  } catch (error) {
    const missing = error instanceof ServiceRefusal && error.status === 404 ||
      error instanceof AppError && error.code === "not_found";
    if (!missing) throw error;
    throw new CommandError(`Certificate ${id} does not exist, or you may not view it.`, { cause: error });
  }
}
