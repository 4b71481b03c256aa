/** A running service, as a command talks to it. */

import { CommandError, refusalText, UsageError } from "./failure.ts";
import { readConfig, readEnvironment } from "../config.ts";

/** Where a service is, and what opens it. */
export interface ServiceAddress {
  readonly url: string;
  readonly token: string;
}

/** Path of the API below a service's address. */
const API = "/api/plugins/certmgr/";

/** The service that the options or the environment name; undefined when they name none. Errors: UsageError. */
export function serviceAddress(options: { url?: string; token?: string }): ServiceAddress | undefined {
  const config = readConfig({
    ...readEnvironment(),
    ...(options.url === undefined ? {} : { CERTMGR_URL: options.url }),
    ...(options.token === undefined ? {} : { CERTMGR_TOKEN: options.token }),
  });
  if (config.url === undefined) {
    if (options.token !== undefined) throw new UsageError("Option --token is given, want --url with it");
    return undefined;
  }
  if (config.token === undefined) {
    throw new UsageError("Service is named, want its API token in CERTMGR_TOKEN or --token");
  }
  return { url: config.url, token: config.token };
}

/** Sends a request below the API's root. Errors: {@link CommandError} when there is no answer, or a refusal. */
export async function callService(
  service: ServiceAddress,
  request: { path: string; params?: URLSearchParams; body?: unknown },
): Promise<Response> {
  const query = request.params === undefined || request.params.size === 0 ? "" : `?${request.params}`;
  const response = await send(`${service.url}${API}${request.path}${query}`, {
    method: request.body === undefined ? "GET" : "POST",
    headers: { authorization: `Token ${service.token}`, "content-type": "application/json" },
    // The token must not follow to another place.
    redirect: "error",
    ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
  });
  if (response.ok) return response;
  throw new ServiceRefusal(response.status, await refusalOf(response));
}

/** A refusal by a running service. */
export class ServiceRefusal extends CommandError {
  readonly status: number;

  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(`Service cannot be reached: ${reason}`, { cause: error });
  }
}

async function refusalOf(response: Response): Promise<string> {
  const text = await response.text();
  try {
    return refusalText(JSON.parse(text));
  } catch {
    return `Service answered with status ${response.status}, want an API of certmgr at this address`;
  }
}
