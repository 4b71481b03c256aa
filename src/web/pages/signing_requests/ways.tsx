/** The ways to add a signing request: paste one, or generate one with the command line. */

import type { Brief } from "../../../resource/mod.ts";
import { forbidden } from "../../../base/errors.ts";
import { type Certificate, certificates } from "../../../domain/certificates/mod.ts";
import { signingRequests } from "../../../domain/signing_requests/mod.ts";
import type { Call } from "../../call.ts";
import { CertificateName } from "../certificates/mod.ts";
import {
  Copyable,
  ErrorSummary,
  Expiry,
  type Html,
  Select,
  TextArea,
  TextField,
} from "../../kit/components/mod.ts";
import { certificatesById, may, readReferences } from "../../kit/mod.ts";
import { listPath } from "../../paths.ts";
import { page } from "../../shell/mod.ts";

/** Key types of the command, the default first. */
const KEY_TYPES = ["ecdsa-p256", "rsa-2048", "rsa-3072", "ed25519"] as const;

const PATHS = {
  paste: "/csrs/new/",
  certificate: "/csrs/generate/?from=certificate",
  names: "/csrs/generate/",
} as const;

const LABELS: Readonly<Record<keyof typeof PATHS, string>> = {
  paste: "Paste a request",
  certificate: "From an existing certificate",
  names: "Generate with the command line",
};

/** Renders links to the ways. */
export function Ways({ current }: { current: keyof typeof PATHS }): Html {
  return (
    <nav class="choice ways" aria-label="Ways to add a signing request">
      {(Object.keys(PATHS) as (keyof typeof PATHS)[]).map((way) => (
        <a href={PATHS[way]} aria-current={way === current ? "page" : undefined}>{LABELS[way]}</a>
      ))}
    </nav>
  );
}

/** Shows the command that generates a key and registers a request for it: `GET /csrs/generate/`. */
export async function generatePage(call: Call): Promise<Response> {
  if (!may(call, signingRequests, "add")) throw forbidden();
  const fromCertificate = call.query.get("from") === "certificate";
  const { command, errors, certificate } = fromCertificate ? await ofCertificate(call) : ofNames(call);
  const wrong = Object.keys(errors).length > 0;
  return page(
    call,
    {
      title: "New signing request",
      above: [["Signing requests", listPath(signingRequests)]],
      ...(wrong ? { status: 400 } : {}),
    },
    <>
      <Ways current={fromCertificate ? "certificate" : "names"} />
      <div class="box form">
        <form method="get" action="/csrs/generate/">
          <ErrorSummary errors={errors} shown={["certificate", "cn", "san"]} labels={FIELD_LABELS} />
          <p>
            The key is generated on your machine and stays there. Only the request is sent, and appears in the
            list when the command has run.
          </p>
          <div class="fields">
            {fromCertificate
              ? <CertificateField call={call} errors={errors} />
              : <NameFields call={call} errors={errors} />}
            <Select
              name="key"
              label="Key"
              value={keyTypeOf(call)}
              options={KEY_TYPES.map((type) => [type, type.toUpperCase().replace("-", " ")] as const)}
            />
          </div>
          <div class="form-actions">
            <button type="submit">Show the command</button>
            <a href={listPath(signingRequests)}>Cancel</a>
          </div>
        </form>
      </div>
      {command === undefined ? null : <Command text={command} certificate={certificate} />}
    </>,
  );
}

const FIELD_LABELS = { certificate: "Certificate", cn: "Common name", san: "Subject alternative names" };

type Errors = Readonly<Record<string, string[]>>;

/** The command of a form, if it is complete. */
interface Generated {
  readonly command?: string;
  readonly errors: Errors;
  readonly certificate?: Renewed;
}

function CertificateField({ call, errors }: { call: Call; errors: Errors }): Html {
  return (
    <>
      <input type="hidden" name="from" value="certificate" />
      <TextField
        name="certificate"
        label="Certificate"
        value={call.query.get("certificate") ?? ""}
        help="Search by name. The request asks for the same names, with a new key."
        suggest={`/suggest${listPath(certificates)}`}
        errors={errors}
        required
      />
    </>
  );
}

function NameFields({ call, errors }: { call: Call; errors: Errors }): Html {
  return (
    <>
      <TextField
        name="cn"
        label="Common name"
        value={call.query.get("cn") ?? ""}
        help="Such as www.example.com."
        errors={errors}
        required
      />
      <TextArea
        name="san"
        label="Subject alternative names"
        value={call.query.get("san") ?? ""}
        help="In addition to the common name, one on each line: a DNS name, or IP:192.0.2.10, email:name@example.com, URI:https://example.com."
        errors={errors}
      />
    </>
  );
}

function keyTypeOf(call: Call): string {
  const given = call.query.get("key");
  return KEY_TYPES.find((type) => type === given) ?? KEY_TYPES[0];
}

function ofNames(call: Call): Generated {
  if (!call.query.has("cn")) return { errors: {} };
  const name = (call.query.get("cn") ?? "").trim();
  if (name === "") return { errors: { cn: ["Enter the name that the certificate is for."] } };
  const others = (call.query.get("san") ?? "").split(/\s+/).filter(Boolean);
  const names = [name, ...others].map((one) => ["--san", one]);
  const options = ["--cn", name, ...(others.length === 0 ? [] : names.flat())];
  return { errors: {}, command: commandOf(call, { options, name }) };
}

type Renewed = Brief & Pick<Certificate, "valid_to" | "days_remaining" | "expiry_status">;

/** Finds the certificate by its id or its common name. At most three statements. */
async function ofCertificate(call: Call): Promise<Generated> {
  const given = call.query.get("certificate");
  if (given === null) return { errors: {} };
  const [reading] = await readReferences(call, [certificates], given.trim() === "" ? [] : [given]);
  if (reading === undefined) return { errors: { certificate: ["Choose a certificate."] } };
  if ("finding" in reading) return { errors: { certificate: [reading.finding] } };
  const found = await certificatesById(
    call,
    [Number(reading.id)],
    ["url", "display", "common_name", "valid_to", "days_remaining", "expiry_status"],
  );
  const certificate = found.get(Number(reading.id));
  if (certificate === undefined) {
    return { errors: { certificate: [`The certificate ${reading.id} does not exist.`] } };
  }
  const options = ["--for", String(certificate.id)];
  return { errors: {}, certificate, command: commandOf(call, { options, name: certificate.common_name }) };
}

function commandOf(call: Call, { options, name }: { options: readonly string[]; name: string }): string {
  const file = name.replace(/^\*\./, "wildcard.").replaceAll(/[^\w.-]+/g, "-").slice(0, 60);
  const parts = [
    ["certmgr", "csr", "create"],
    options,
    ["--key-type", keyTypeOf(call)],
    ["--key-out", `${file}.key`, "--out", `${file}.csr`],
    ["--url", call.url.origin],
  ];
  return parts.map((words) => words.map(quoted).join(" ")).join(" \\\n  ");
}

/** Quotes an argument for a POSIX shell (POSIX.1-2024, XCU §2.2.2). */
function quoted(text: string): string {
  return /^[\w.:@/-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function Command({ text, certificate }: { text: string; certificate: Renewed | undefined }): Html {
  return (
    <section class="card" aria-labelledby="command" data-outcome tabindex={-1}>
      <h2 id="command">Run this on the machine that needs the certificate</h2>
      {certificate === undefined ? null : (
        <p>
          For the names of <CertificateName brief={certificate} />, which expires on{" "}
          <Expiry row={certificate} />
        </p>
      )}
      <Copyable label="command" text={text} />
      <p class="faint">
        It needs an API token in the variable <code>CERTMGR_TOKEN</code>: <a href="/profile/">create one</a>
        {" "}
        in your profile. The private key is written to a file that only you can read.
      </p>
    </section>
  );
}
