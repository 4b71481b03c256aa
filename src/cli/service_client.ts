/** Sends requests of commands to a running service. */

import type { PublicError } from "../base/errors.ts";
import { type Config, ConfigError, readConfig, readEnvironment } from "../config/mod.ts";
import { CommandError, failing, refusalText, UsageError } from "./failure.ts";
import { fetchPatiently } from "./fetch_patiently.ts";

/** The URL of a service, and a token for it. */
export interface ServiceAddress {
  readonly url: string;
  readonly token: string;
}

/** Path of the API on the service. */
const API = "/api/plugins/certmgr/";
/** Maximum length of a refusal: more than the messages about each object of a bulk request. */
const MAX_REFUSAL_CHARS = 16 * 1024 * 1024;

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
    throw new UsageError(text);
  }
}

/** A request to a path below that of the API; with a body, a POST. */
export interface ServiceRequest {
  readonly path: string;
  readonly params?: URLSearchParams;
  readonly body?: unknown;
  /** Ends the request. */
  readonly signal?: AbortSignal | undefined;
  /** Longest time without any part of a response in milliseconds, for tests. */
  readonly idleMs?: number;
}

/**
 * Sends a request, and returns the JSON object in the response. Errors: {@link CommandError} if there is no
 * such response, or the service refuses.
 */
export async function callService<T extends object>(
  service: ServiceAddress,
  request: ServiceRequest,
): Promise<T> {
  const text = await (await downloadFrom(service, request)).text();
  const body = jsonObject(text);
  if (body === undefined) throw otherServer(service);
  return body as T;
}

/**
 * Sends a request, and returns a response that may be long, such as an export. Errors: {@link CommandError} if
 * there is no response, or the service refuses; also while the body of the response is read.
 */
export async function downloadFrom(service: ServiceAddress, request: ServiceRequest): Promise<Response> {
  const query = request.params === undefined || request.params.size === 0 ? "" : `?${request.params}`;
  const response = await send(service, {
    path: `${API}${request.path}${query}`,
    method: request.body === undefined ? "GET" : "POST",
    headers: { authorization: `Token ${service.token}`, "content-type": "application/json" },
    ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
    ...(request.signal === undefined ? {} : { signal: request.signal }),
  }, request.idleMs);
  if (!response.ok) throw await refusalOf(response);
  // The page of a proxy or of another server.
  if (response.headers.get("content-type")?.startsWith("text/html")) {
    await response.body?.cancel();
    throw otherServer(service);
  }
  return response;
}

function otherServer({ url }: ServiceAddress): CommandError {
  return new CommandError(
    `Service at ${url} sent something other than an answer of the API. Use the address of a certmgr service.`,
  );
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
  idleMs?: number,
): Promise<Response> {
  return await fetchPatiently(`${url}${path}`, init, {
    idleMs,
    failed: failing(`Service at ${url} cannot be reached`),
  });
}

async function refusalOf(response: Response): Promise<ServiceRefusal> {
  const { status } = response;
  const body = jsonObject(await startOf(response)) as PublicError | undefined;
  try {
    if (body !== undefined) return new ServiceRefusal(refusalText(body), { status, body });
  } catch {
    // An answer of another server.
  }
  const line = `The service answered with status ${status}. Use the address of a certmgr service.`;
  return new ServiceRefusal(line, { status });
}

/** Returns the beginning of a text: refusals are short. */
async function startOf(response: Response): Promise<string> {
  let text = "";
  for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part;
    if (text.length > MAX_REFUSAL_CHARS) break;
  }
  return text;
}

/** Parses a JSON object or list; undefined for anything else. */
function jsonObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
