/** The numbers at the top of the report. */

import { counted, numberText, percentText } from "../../../base/amounts.ts";
import type { Report, ReportQuery } from "../../../domain/compliance/mod.ts";
import { type Html, Tile } from "../../kit/components/mod.ts";
import type { Call } from "../../call.ts";
import { checksPath, nextCheck, type UncheckedCount, uncheckedText } from "./scope.ts";

/** Renders the score, and the numbers of failing and of unchecked certificates. */
export function Tiles(
  { call, report, query, open }: {
    call: Call;
    report: Report;
    query: ReportQuery;
    open: UncheckedCount | undefined;
  },
): Html {
  const { compliance_score, total_checks, passed, certificates_checked, certificates_failing } = report;
  return (
    <div class="cards tiles">
      <Tile
        title="Score"
        value={percentText(compliance_score)}
        note={`${numberText(passed)} of ${numberText(total_checks)} checks pass`}
        path={checksPath(query, {})}
      />
      <Tile
        title="Failing"
        value={certificates_failing}
        note={`of ${counted(certificates_checked, "checked certificate")}`}
        path="#failing"
        tone={certificates_failing > 0 ? "bad" : "good"}
      />
      {open === undefined ? null : (
        <Tile
          title="Not checked"
          value={open.count}
          note={open.count === 0 ? "all results are current" : `${uncheckedText(open)}${nextCheck(call)}`}
          path={open.path}
          tone={open.count > 0 ? "warn" : "good"}
        />
      )}
    </div>
  );
}
