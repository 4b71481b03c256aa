/** Numbers of the dashboard that rarely need attention. */

import { counted, numberText } from "../../../base/amounts.ts";
import type { Overview } from "../../../domain/system/overview/mod.ts";
import type { Call } from "../../call.ts";
import { type Html, NumbersTile, Tile } from "../../kit/components/mod.ts";

/** Certificates in use, as a filter of their list. */
export const IN_USE = "in_use=true";

/** A group of endpoints that need attention. */
export interface ProblemCount {
  readonly value: number;
  readonly label: string;
  readonly path: string;
}

/** Renders these numbers, each with a link to its objects. */
export function MinorTiles({ call, overview }: { call: Call; overview: Overview }): Html {
  const { by_expiry, by_status: { active = 0, pending = 0 }, used, unassigned } = overview;
  return (
    <div class="cards tiles minor">
      <Tile
        title="In use"
        value={used}
        note={`${numberText(active)} active, ${numberText(pending)} pending, ${
          numberText(used - active - pending)
        } ended but not replaced`}
        path={`/certificates/?${IN_USE}`}
      />
      <Tile
        title="Later"
        value={by_expiry.ok}
        note={`expire in more than ${counted(call.ctx.settings.warningDays, "day")}`}
        path={`/certificates/?expiry_status=ok&${IN_USE}`}
      />
      {unassigned === null ? null : (
        <Tile
          title="Unassigned"
          value={unassigned}
          note="not assigned to any object"
          path={`/certificates/?has_assignments=false&kind__n=ca&${IN_USE}`}
        />
      )}
    </div>
  );
}

/** Renders the number of endpoints that need attention, with a link to each group. */
export function EndpointTile({ problems }: { problems: readonly ProblemCount[] }): Html {
  const some = problems.filter(({ value }) => value > 0);
  return some.length === 0
    ? <Tile title="Endpoints" value={0} note="need attention" path="/endpoints/" />
    : <NumbersTile title="Endpoints" note="need attention" numbers={some} tone="warn" />;
}
