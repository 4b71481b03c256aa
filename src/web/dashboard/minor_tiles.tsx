/** Numbers of the dashboard that rarely need attention. */

import { counted, numberText } from "../../base/amounts.ts";
import type { Overview } from "../../domain/system/overview/mod.ts";
import type { Call } from "../call.ts";
import { type Html, NumbersTile, Tile } from "../components/mod.ts";

/** Certificates that are active or pending, as a filter of their list. */
export const LIVE = "status=active&status=pending";

/** A group of endpoints that need attention. */
export interface ProblemCount {
  readonly value: number;
  readonly label: string;
  readonly path: string;
}

/** Renders these numbers, each with a link to its objects. */
export function MinorTiles({ call, overview }: { call: Call; overview: Overview }): Html {
  const { by_expiry, by_status: { active = 0, pending = 0 }, live, unassigned } = overview;
  return (
    <div class="cards tiles minor">
      <Tile
        title="Not expired"
        value={live}
        note={`${numberText(active)} active, ${numberText(pending)} pending`}
        path={`/certificates/?${LIVE}`}
      />
      <Tile
        title="Later"
        value={by_expiry.ok}
        note={`expire in more than ${counted(call.ctx.settings.warningDays, "day")}`}
        path={`/certificates/?expiry_status=ok&${LIVE}`}
      />
      {unassigned === null ? null : (
        <Tile
          title="Unassigned"
          value={unassigned}
          note="not assigned to any object"
          path={`/certificates/?has_assignments=false&${LIVE}`}
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
