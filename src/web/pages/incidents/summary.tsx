/** How much time is left for an incident, and how many certificates are in which state. */

import { counted, whenText } from "../../../base/amounts.ts";
import type { Counts, Incident } from "../../../domain/incidents/mod.ts";
import type { Call } from "../../call.ts";
import { type Html, Tile, type Tone } from "../../kit/components/mod.ts";
import { allCertificatesPath } from "../certificates/mod.ts";

/** Returns the tone of an incident by what is left of it. */
export function toneOf({ affected, open, replaced, overdue }: Counts): Tone {
  return overdue > 0 ? "bad" : open + replaced > 0 || affected === 0 ? "warn" : "good";
}

/** Renders how much time is left, and how many certificates are in which state. */
export function Summary({ call, incident }: { call: Call; incident: Incident }): Html {
  const { id, counts, deadline, status, closed_at } = incident;
  const tile = (title: string, name: keyof Counts, note: string, tone: Tone = "plain"): Html => (
    <Tile
      title={title}
      value={counts[name]}
      note={note}
      tone={counts[name] === 0 ? "plain" : tone}
      path={allCertificatesPath(name === "affected" ? { incident: id } : { [`incident_${name}`]: id })}
    />
  );
  const time = status === "closed"
    ? `Closed ${closed_at?.slice(0, 10) ?? ""}.`
    : deadline === null
    ? "Without a deadline."
    : `Deadline ${whenText(deadline, call.ctx.clock.now())}: ${deadline.slice(0, 16).replace("T", " ")} UTC.`;
  return (
    <>
      <div class={`summary ${toneOf(counts)}`}>
        <p>
          <strong>{time}</strong> {counts.overdue > 0
            ? `${counted(counts.overdue, "certificate is", "certificates are")} overdue.`
            : counts.open > 0
            ? `${counted(counts.open, "certificate is", "certificates are")} left to replace.`
            : counts.affected === 0
            ? "No certificate matches the criteria. Those that do later join by themselves."
            : "Every certificate is replaced."}
        </p>
      </div>
      <div class="cards tiles">
        {tile("Affected", "affected", "certificates that you may view")}
        {tile("Open", "open", "without a successor", counts.overdue > 0 ? "bad" : "warn")}
        {tile("Replaced", "replaced", "but still assigned or served", "warn")}
        {tile("Deployed", "deployed", "neither assigned nor served any more", "good")}
        {tile("Excluded", "excluded", "with a reason")}
      </div>
    </>
  );
}
