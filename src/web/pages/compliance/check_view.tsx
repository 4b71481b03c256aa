/** View of compliance results. */

import { isGranted } from "../../../auth/mod.ts";
import { type Certificate, certificates } from "../../../domain/certificates/mod.ts";
import {
  addReportFilters,
  ageOf,
  type Check,
  checks,
  datedMessage,
  dayOf,
  policies,
} from "../../../domain/compliance/mod.ts";
import type { Call } from "../../call.ts";
import { Owner } from "../certificates/mod.ts";
import { type Content, Expiry, Form, Icon, Time } from "../../kit/components/mod.ts";
import { ObjectLink, readRows, type View } from "../../kit/mod.ts";
import { checkFacts, checkLead, checkTitle, Result } from "./check_page.tsx";
import { objectPath } from "../../paths.ts";
import { readCertificates } from "./checked_certificates.ts";
import { briefMessage } from "./rule_texts.ts";

type ListedCheck = Check & {
  /** Its age, if it is outdated. */
  readonly outdated?: string | undefined;
  readonly owner?: Pick<Certificate, "owner" | "tenant">;
  readonly expires?: Pick<Certificate, "valid_to" | "days_remaining" | "expiry_status"> | undefined;
};

/**
 * Adds the certificates to results, marks outdated ones, and adds their day to their sentences. At most two statements.
 */
async function withCertificates(call: Call, rows: readonly Check[]): Promise<readonly ListedCheck[]> {
  const idsOf = (name: "certificate" | "policy"): number[] => rows.flatMap((row) => row[name]?.id ?? []);
  const [known, changedPolicies] = await Promise.all([
    readCertificates(call, idsOf("certificate"), {
      fields: ["owner", "tenant", "valid_to", "days_remaining", "expiry_status", "status", "last_updated"],
    }),
    readChanges(call, idsOf("policy")),
  ]);
  const now = call.ctx.clock.now();
  return rows.map((row) => {
    const about = known.get(row.certificate.id);
    const { policy } = row;
    const changed = [about?.last_updated, changedPolicies.get(policy?.id ?? 0)];
    const age = ageOf(row, { now, changed });
    const hasOwner = about !== undefined && (about.owner !== null || about.tenant !== null);
    return {
      ...row,
      message: datedMessage({ ...row, message: briefMessage(row, about) }, age),
      outdated: age,
      ...(hasOwner ? { owner: about } : {}),
      expires: about,
    };
  });
}

/** Returns when policies were last changed, by id. */
async function readChanges(call: Call, ids: readonly number[]): Promise<ReadonlyMap<number, unknown>> {
  const some = [...new Set(ids)];
  if (some.length === 0 || !isGranted(call.ctx, "view", policies.objectType)) return new Map();
  const { rows } = await readRows(call.ctx, policies, {
    params: { id: some, start: 0, limit: some.length },
    fields: ["id", "last_updated"],
  });
  return new Map(rows.map(({ id, last_updated }) => [id, last_updated]));
}

/** Parameters that name certificates or the day of failures, with which the list includes replaced certificates. */
const DECIDES = /^(?:certificate|failing_on)/;

/** Adds the filters of the report; returns false if the URL selects certificates itself. */
function addDefaultScope(params: URLSearchParams): boolean {
  if ([...params.keys()].some((name) => DECIDES.test(name))) return false;
  addReportFilters(params);
  return true;
}

function checkAgain(call: Call, { certificate }: Pick<Check, "certificate">): Content {
  if (!isGranted(call.ctx, "manage_compliance", policies.objectType)) return null;
  return (
    <Form call={call} action={`/certificates/${certificate.id}/check/`} class="inline">
      <button type="submit" class="secondary">
        <Icon name="check" />Check again
      </button>
    </Form>
  );
}

function ownerOf({ owner }: ListedCheck): Content {
  return owner === undefined ? "" : <Owner row={owner} />;
}

/** Results are written by runs, so they cannot be edited. */
export const checkView: View<ListedCheck> = {
  resource: checks,
  heading: "Checks",
  name: {
    label: "Certificate",
    needs: ["certificate", "policy"],
    of: ({ certificate }) => String(certificate.common_name),
    // A user may view checks without the permission to view their certificates.
    path: ({ expires, certificate }) =>
      expires === undefined ? undefined : objectPath(certificates, certificate.id),
  },
  ordering: "severity_rank,certificate_valid_to",
  columns: [
    { name: "severity", needs: ["result"], sort: "severity_rank", cell: (check) => <Result check={check} /> },
    {
      name: "message",
      label: "What was found",
      needs: ["result"],
      cell: (row) => <a class="wraps" href={objectPath(checks, row.id)}>{row.message || row.result}</a>,
    },
    { name: "policy", under: ({ policy }) => policy === null ? "" : <ObjectLink brief={policy} /> },
    { name: "owner", cell: ownerOf, under: ownerOf, layout: ["p3", "share"] },
    {
      name: "checked_at",
      label: "Checked",
      cell: (row) =>
        row.outdated === undefined
          ? <Time at={row.checked_at} />
          : <span class="faint" title={`Outdated: checked on ${dayOf(row)}`}>{row.outdated}</span>,
    },
    {
      name: "expires",
      sort: "certificate_valid_to",
      cell: ({ expires }) => expires === undefined ? "" : <Expiry row={expires} />,
      layout: ["p3"],
    },
    "result",
  ],
  usual: ["severity", "message", "policy", "owner", "checked_at"],
  tabs: { parts: [["Failing", { result: "fail" }]], counted: true, first: true },
  scope: { label: "Include unused", add: addDefaultScope },
  withMore: withCertificates,
  filters: ["result", "severity", "policy_id", "policy_type"],
  title: { needs: ["message", "result", "certificate"], of: checkTitle },
  empty: "No compliance checks yet. Check certificates on their pages, or many at once in the list.",
  detail: (call, check) => ({
    actions: checkAgain(call, check),
    related: [["All results of this certificate", `/checks/?certificate_id=${check.certificate.id}`]],
    lead: checkLead(call, check),
    facts: checkFacts(call, check),
    without: [
      "message",
      "policy",
      "certificate",
      "result",
      "severity",
      "checked_value",
      "expected_value",
      "checked_at",
    ],
  }),
};
