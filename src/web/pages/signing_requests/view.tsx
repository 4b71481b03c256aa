/** The view of signing requests. */

import type { Brief } from "../../../resource/mod.ts";
import { whenText } from "../../../base/amounts.ts";
import { isGranted } from "../../../auth/mod.ts";
import { authorities } from "../../../domain/authorities/mod.ts";
import { type SigningRequest, signingRequests } from "../../../domain/signing_requests/mod.ts";
import { MAX_FILTER_VALUE_CHARS } from "../../../filters/mod.ts";
import { requestAdvice } from "../../../domain/advice/mod.ts";
import type { Call } from "../../call.ts";
import { CertificateName, keyText } from "../certificates/mod.ts";
import { Badge, type Content, Copyable, type Html, Icon, Name, truncate } from "../../kit/components/mod.ts";
import { labelOf } from "../../messages.ts";
import { defineView, type Fact, may, ObjectLink, permittedAmong, readRows, Text } from "../../kit/mod.ts";
import { ADD } from "../imports/mod.ts";
import { objectPath } from "../../paths.ts";
import { nextStep } from "./next_step.tsx";

/** Fields that are read from the PEM. */
const FROM_PEM = [
  "common_name",
  "sans",
  "organization",
  "organizational_unit",
  "locality",
  "state",
  "country",
  "subject_string",
  "algorithm",
  "key_size",
  "fingerprint_sha256",
] as const;

/** Fields of the subject, which are shown separately if a request has no whole subject. */
const SUBJECT = ["organization", "organizational_unit", "locality", "state", "country"] as const;

export const signingRequestView = defineView<ListedRequest>({
  resource: signingRequests,
  columns: [
    "status",
    {
      name: "names",
      label: "Other names",
      needs: ["common_name", "sans"],
      // The first name, and the number of the others.
      cell: ({ names: [first, ...others] = [] }) =>
        first === undefined
          ? ""
          : (
            <span class="assigned" title={truncate([first, ...others].join(", "), 500)}>
              <span class="object">{Name({ text: first })}</span>
              {others.length === 0 ? null : <span class="faint">+{others.length}</span>}
            </span>
          ),
      layout: ["p3", "share"],
    },
    {
      name: "key",
      needs: ["algorithm", "key_size"],
      cell: ({ key }) => key ?? "",
      layout: ["p4"],
    },
    {
      name: "certificate",
      label: "Certificate or next step",
      needs: ["status", "renews", "resulting_certificate", "suggested_certificate"],
      cell: certificateOf,
      layout: ["p3", "folds", "wide-share"],
    },
    "target_ca",
    { name: "requested_by", layout: ["p4", "folds", "share"] },
    {
      name: "age",
      label: "Requested",
      sort: "requested_date",
      needs: ["requested_date", "created"],
      cell: ({ age }) => age,
      layout: ["p4", "folds", "named"],
    },
    "tenant",
    "created",
  ],
  usual: ["status", "names", "key", "certificate", "target_ca", "requested_by", "age"],
  withMore: async (call, rows) => {
    const ids = rows.filter(({ status }) => status === "pending").map(({ id }) => id);
    const decidable = ids.length === 0
      ? new Set<number>()
      : await permittedAmong(call, signingRequests, { action: "change", ids });
    return rows.map((row) => withListed(call, row, decidable.has(row.id)));
  },
  tabs: {
    parts: [
      ["Open", { status: ["pending", "approved"] }],
      ["Issued", { status: "issued" }],
      ["Rejected", { status: "rejected" }],
    ],
    first: true,
    counted: true,
  },
  // The index of their time has the same order as their ids.
  ordering: "-requested_date",
  filters: ["status", "target_ca", "requested_by", "tenant_id"],
  form: {
    sections: [
      {
        title: "",
        fields: ["pem_content", "renews", "target_ca", "tenant", "tags", "requested_by", "notes"],
      },
      {
        title: "I do not have the PEM",
        about: "For a request whose PEM you do not have. With a PEM, these fields are read from it.",
        fields: FROM_PEM,
        folded: true,
        insteadOf: "pem_content",
      },
      {
        title: "Status, issued certificate",
        fields: ["status", "resulting_certificate", "requested_date"],
        folded: true,
      },
    ],
  },
  fields: {
    pem_content: {
      help:
        "Starts with -----BEGIN CERTIFICATE REQUEST-----. Nothing else is needed: names and key are read from it.",
    },
    target_ca: {
      help: "The authority that should issue the certificate: a tracked one, or any name.",
      suggestions: async ({ ctx }) =>
        !isGranted(ctx, "view", authorities.objectType) ? [] : (await readRows(ctx, authorities, {
          params: { start: 0, limit: MAX_SUGGESTED },
          fields: ["id", "name"],
        })).rows.map(({ name }) => name),
    },
    renews: { help: "The issued certificate replaces it. Empty: for a new certificate." },
    tenant: { help: "" },
    tags: { help: "" },
  },
  detail: (call, request, permitted) => ({
    actions: request.pem_content === ""
      ? null
      : (
        <a role="button" class="secondary" href={`${objectPath(signingRequests, request.id)}pem/`}>
          <Icon name="download" />Download
        </a>
      ),
    lead: nextStep(call, request, permitted),
    facts: factsOf(call, request),
    // The facts have them.
    without: [
      ...FROM_PEM,
      "spki_sha256",
      "status",
      "renews",
      "target_ca",
      "resulting_certificate",
      "suggested_certificate",
    ],
  }),
  empty: "No signing requests yet. Paste one as PEM; its fields are read from it.",
  create: (call) => ({ values: { requested_by: call.ctx.actor.username } }),
});

/** A request with the values of columns that no field has. */
type ListedRequest = SigningRequest & {
  readonly names?: readonly string[] | undefined;
  readonly key?: string | null;
  /** The certificate, or what the user can do next. */
  readonly certificate?: Brief | string | null;
  readonly age?: Content;
};

/** Adds the values of columns that no field has; null if a request has none. */
function withListed(call: Call, row: SigningRequest, mayDecide: boolean): ListedRequest {
  const next = requestAdvice(call.ctx, row, mayDecide);
  const { sans, common_name: own, algorithm, requested_date, created }: Partial<SigningRequest> = row;
  const names = sans?.filter((name) => name !== own);
  const at = requested_date ?? created;
  return {
    ...row,
    names,
    key: algorithm === "unknown" ? null : keyText(row),
    // A link counts as a value: a column without values is not shown.
    certificate: row.resulting_certificate ?? row.suggested_certificate ??
      (next?.action?.permitted ? next.code : null),
    age: (
      <time datetime={at} title={`${at.slice(0, 16).replace("T", " ")} UTC`}>
        {whenText(at, call.ctx.clock.now())}
      </time>
    ),
  };
}

/** Renders the certificate that was issued for a request, or that may have been, or a link to the next step. */
function certificateOf(
  { id, renews = null, resulting_certificate: issued, suggested_certificate: suggested, certificate }:
    ListedRequest,
): Content {
  if (issued !== null) return <CertificateName brief={issued} />;
  if (suggested === null) {
    return certificate === "decide"
      ? <a href={objectPath(signingRequests, id)} class="step">Approve or reject</a>
      : certificate === "send"
      ? (
        <a href={renews === null ? ADD : `${objectPath(signingRequests, id)}#issued`} class="step">
          Add the issued certificate
        </a>
      )
      : "";
  }
  return (
    <span class="unconfirmed">
      <CertificateName brief={suggested} /> <span class="faint">not confirmed</span>
    </span>
  );
}

/** Renders the buttons that decide about the selected requests. */
export function statusButtons(call: Call): Html | null {
  if (!may(call, signingRequests, "change")) return null;
  return (
    <span class="joined">
      <button type="submit" formaction="/csrs/status/" name="status" value="approved" class="secondary">
        <Icon name="check" />Approve
      </button>
      <button type="submit" formaction="/csrs/status/" name="status" value="rejected" class="secondary">
        <Icon name="cross" />Reject
      </button>
    </span>
  );
}

/** Returns the facts of a request, the status first. At most one statement. */
async function factsOf(call: Call, request: SigningRequest): Promise<readonly Fact[]> {
  const { status, subject_string: subject, sans, renews, resulting_certificate: issued } = request;
  const text = (
    name: (typeof SUBJECT)[number] | "subject_string",
  ): Fact => [labelOf(name), request[name] === "" ? null : textContent(request[name])];
  const digits = (name: "spki_sha256" | "fingerprint_sha256"): Fact[] => {
    const given = request[name] ?? "";
    // As fingerprints are usually written: `5A:09`.
    const shown = given.includes(":") ? given : given.toUpperCase().match(/../g)?.join(":") ?? "";
    return given === "" ? [] : [[labelOf(name), <Copyable oneLine label={labelOf(name)} text={shown} />]];
  };
  return [
    ["Status", <Badge value={status} />],
    ...(renews === null ? [] : [[labelOf("renews"), <ObjectLink brief={renews} />] as const]),
    ...(issued === null ? [] : [[labelOf("resulting_certificate"), <ObjectLink brief={issued} />] as const]),
    [labelOf("sans"), sans.length === 0 ? null : textContent(sans.join(", "))],
    ["Key", request.algorithm === "unknown" ? null : <>{keyText(request)}</>],
    [labelOf("target_ca"), await authorityOf(call, request.target_ca)],
    ...(subject === "" ? SUBJECT.map(text) : [text("subject_string")]),
    ...digits("spki_sha256"),
    ...digits("fingerprint_sha256"),
  ];
}

function textContent(value: unknown): Content {
  return <Text text={String(value)} />;
}

/** Renders the authority: a link if it is tracked under this name. At most one statement. */
async function authorityOf(call: Call, name: string): Promise<Content | null> {
  if (name === "") return null;
  if (name.length > MAX_FILTER_VALUE_CHARS || !isGranted(call.ctx, "view", authorities.objectType)) {
    return textContent(name);
  }
  const params = { name__ie: name, start: 0, limit: 1 };
  const [found] = (await readRows(call.ctx, authorities, { params, fields: ["id", "url", "display"] })).rows;
  return found === undefined ? textContent(name) : <ObjectLink brief={found} />;
}

/** Number of names that a form suggests. */
const MAX_SUGGESTED = 200;
