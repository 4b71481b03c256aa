/** Sends requests of commands to a running service. */

import type { PublicError } from "../base/errors.ts";
import { type Config, ConfigError, readConfig, readEnvironment } from "../config/mod.ts";
import { CommandError, refusalText, UsageError } from "./failure.ts";
import { reasonOf } from "./reason.ts";

/** The URL of a service, and a token for it. */
export interface ServiceAddress {
  readonly url: string;
  readonly token: string;
}

/** Path of the API on the service. */
const API = "/api/plugins/certmgr/";

/**
 * Returns the service that the options or the environment name; undefined if there is none. Errors:
 * UsageError.
 */
export function serviceAddress(options: { url?: string; token?: string }): ServiceAddress | undefined {
  const config = readOptions(options);
  if (config.url === undefined) {
    if (options.token !== undefined) throw new UsageError("Option --token needs --url.");
    return undefined;
  }
  if (config.token === undefined) {
    throw new UsageError("An API token is missing. Set CERTMGR_TOKEN or use --token.");
  }
  return { url: config.url, token: config.token };
}

/** Reads the client settings. Options take precedence. Messages name the option or setting that was used. */
export function readOptions({ url, token }: { url?: string; token?: string }): Config {
  try {
    return readConfig({
      ...readEnvironment(),
      ...(url === undefined ? {} : { CERTMGR_URL: url }),
      ...(token === undefined ? {} : { CERTMGR_TOKEN: token }),
    });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    let text = error.message;
    if (url !== undefined) text = text.replace(/^Setting CERTMGR_URL /m, "Option --url ");
    if (token !== undefined) text = text.replace(/^Setting CERTMGR_TOKEN /m, "Option --token ");
    throw new UsageError(text, { cause: error });
  }
}

/**
 * Sends a request to a path below that of the API. Errors: {@link CommandError} if there is no response, or
 * the service refuses.
 */
export async function callService(
  service: ServiceAddress,
  request: { path: string; params?: URLSearchParams; body?: unknown },
): Promise<Response> {
  const query = request.params === undefined || request.params.size === 0 ? "" : `?${request.params}`;
  const response = await send(service, {
    path: `${API}${request.path}${query}`,
    method: request.body === undefined ? "GET" : "POST",
    headers: { authorization: `Token ${service.token}`, "content-type": "application/json" },
    // The token must not be sent to another host.
    redirect: "error",
    ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
  });
  if (response.ok) return response;
  throw await refusalOf(response);
}

/** A refusal of a running service. */
export class ServiceRefusal extends CommandError {
  readonly status: number;
  /** Whether its messages are by field or parameter instead of one sentence. */
  readonly byField: boolean;
  /** The body of the response; `{detail}` if it was not JSON. */
  readonly body: PublicError;

  constructor(text: string, { status, body = { detail: text } }: { status: number; body?: PublicError }) {
    super(text);
    this.status = status;
    this.byField = !("detail" in body);
    this.body = body;
  }
}

async function send(
  { url }: ServiceAddress,
  { path, ...init }: RequestInit & { path: string },
): Promise<Response> {
  try {
    return await fetch(`${url}${path}`, init);
  } catch (error) {
    throw new CommandError(`Service at ${url} cannot be reached: ${reasonOf(error)}`, { cause: error });
  }
}

async function refusalOf(response: Response): Promise<ServiceRefusal> {
  const { status } = response;
  const text = await response.text();
  try {
    const body = JSON.parse(text);
    return new ServiceRefusal(refusalText(body), { status, body });
  } catch {
    const line = `The service answered with status ${status}. Use the address of a certmgr service.`;
    return new ServiceRefusal(line, { status });
  }
}
