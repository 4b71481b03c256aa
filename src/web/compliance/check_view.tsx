/** View of compliance results. */

import { isGranted } from "../../auth/mod.ts";
import { DAY_MS, startOfDay } from "../../base/clock.ts";
import { certificates } from "../../domain/certificates/mod.ts";
import { addReportFilters, checks, policies } from "../../domain/compliance/mod.ts";
import type { Call } from "../call.ts";
import { Badge, Form, Icon, Time } from "../components/mod.ts";
import { type ApiObject, readRows, type View } from "../objects/mod.ts";

/** The member of an outdated result with its age. */
const OUTDATED = "outdated";

/** Returns the day on which a result was found. */
function dayOf({ checked_at }: ApiObject): string {
  return String(checked_at).slice(0, 10);
}

/**
 * Returns the age of a result that is from an earlier day or older than the certificate's last change; else undefined.
 */
function ageOf(
  { checked_at }: ApiObject,
  { now, changed }: { now: number; changed?: unknown },
): string | undefined {
  const at = Date.parse(String(checked_at));
  const days = Math.round((startOfDay(now) - startOfDay(at)) / DAY_MS);
  if (days > 0) {
    return days === 1 ? "yesterday" : `${days.toLocaleString("en")} days ago`;
  }
  // Both times are equal if a check runs in the same commit as the change of its certificate.
  return typeof changed === "string" && Date.parse(changed) > at ? "outdated" : undefined;
}

/** Marks outdated results, and adds their day to their sentences. At most one statement. */
async function withAge(
  call: Call,
  rows: readonly ApiObject[],
): Promise<readonly ApiObject[]> {
  const changes = await readChanges(call, rows);
  const now = call.ctx.clock.now();
  return rows.map((row) => {
    const age = ageOf(row, {
      now,
      changed: changes.get((row.certificate as ApiObject).id),
    });
    if (age === undefined) return row;
    const message = row.message ? `On ${dayOf(row)}: ${row.message}` : "";
    return { ...row, message, [OUTDATED]: age };
  });
}

async function readChanges(
  call: Call,
  rows: readonly ApiObject[],
): Promise<ReadonlyMap<number, unknown>> {
  if (
    rows.length === 0 || !isGranted(call.ctx, "view", certificates.objectType)
  ) return new Map();
  const ids = [
    ...new Set(rows.map(({ certificate }) => (certificate as ApiObject).id)),
  ];
  const found = await readRows(call, certificates, {
    // With `start`, a list is not counted.
    params: { id: ids, archived: "any", start: 0, limit: ids.length },
    fields: ["id", "last_updated"],
  });
  return new Map(found.rows.map(({ id, last_updated }) => [id, last_updated]));
}

/** Parameters that name certificates or the day of failures, with which the list includes replaced certificates. */
const DECIDES = /^(?:certificate|failing_on)/;

/** Adds the filters of the report; returns false if the URL selects certificates itself. */
function addDefaultScope(params: URLSearchParams): boolean {
  if ([...params.keys()].some((name) => DECIDES.test(name))) return false;
  addReportFilters(params);
  return true;
}

/** Results are written by runs, so they cannot be edited. */
export const checkView: View = {
  resource: checks,
  heading: "Checks",
  nameLabel: "Certificate",
  listName: {
    needs: ["certificate"],
    of: ({ certificate }) => String((certificate as ApiObject).common_name),
  },
  columns: ["result", "severity", "policy", "checked_at"],
  sentences: { result: "message" },
  under: ["severity", "policy"],
  cells: {
    checked_at: {
      label: "Checked",
      needs: [],
      cell: (row) =>
        row[OUTDATED] === undefined
          ? <Time at={String(row.checked_at)} />
          : <span class="faint" title={`Outdated: checked on ${dayOf(row)}`}>{String(row[OUTDATED])}</span>,
    },
    // A passed check needs no attention, however severe a failure would be.
    severity: {
      label: "Severity",
      needs: ["result"],
      cell: ({ severity, result }) => (
        <Badge value={String(severity)} {...(result === "fail" ? {} : { tone: "plain" as const })} />
      ),
    },
  },
  tabs: [["Failing", { result: "fail" }]],
  opensFirstTab: true,
  scope: { label: "Replaced too", add: addDefaultScope },
  withMore: withAge,
  filters: ["result", "severity", "policy_id", "policy_type"],
  title: { needs: ["message", "result"], of: ({ message, result }) => String(message || result) },
  unshown: ["message"],
  empty: "No compliance checks yet. Check certificates on their pages, or many at once in the list.",
  actions: (call, { certificate }) =>
    Promise.resolve(
      isGranted(call.ctx, "manage_compliance", policies.objectType)
        ? (
          <Form call={call} action={`/certificates/${(certificate as ApiObject).id}/check/`}>
            <button type="submit" class="secondary">
              <Icon name="check" />Check again
            </button>
          </Form>
        )
        : null,
    ),
  related: ({ certificate }: ApiObject) => [
    ["All results of this certificate", `/checks/?certificate_id=${(certificate as ApiObject).id}`],
  ],
};
