/** The sessions of a user, by browser. */

import { counted } from "../../../base/amounts.ts";
import { endOtherSessions, endSession, type UserSession } from "../../../domain/accounts/sessions/mod.ts";
import { type Call, idOf } from "../../call.ts";
import { noSessionCookie } from "../../cookies.ts";
import { Badge, Form, type Html, Table, Time } from "../../kit/components/mod.ts";
import { done, seeOther } from "../../responses.ts";

/** Renders all sessions, each with a button to revoke it. */
export function SessionList({ call, sessions }: { call: Call; sessions: readonly UserSession[] }): Html {
  return (
    <>
      <Table
        caption="Sessions"
        rows={sessions}
        columns={[
          { label: "Browser", cell: (row) => browserOf(row.user_agent) },
          { label: "IP address", cell: (row) => row.address, layout: ["p2"], under: (row) => row.address },
          { label: "Signed in", cell: (row) => <Time at={row.created} />, layout: ["p2"] },
          {
            label: "Last seen",
            cell: (row) => <Time at={row.last_seen} />,
            layout: ["p2"],
            under: (row) => <Time at={row.last_seen} />,
          },
          {
            label: "Actions",
            layout: ["hidden-label"],
            cell: (row) =>
              row.id === call.session.id
                ? <Badge value="this session" tone="good" />
                : (
                  <Form call={call} action={`/profile/sessions/${row.id}/end/`} class="inline">
                    <button type="submit" class="secondary small">Sign out</button>
                  </Form>
                ),
          },
        ]}
      />
      {sessions.length < 2 ? null : (
        <Form call={call} action="/profile/sessions/end-others/">
          <button type="submit" class="secondary">Sign out all other sessions</button>
        </Form>
      )}
    </>
  );
}

/** Returns name and system from a `User-Agent`. */
function browserOf(agent: string): string {
  const name = /(Firefox|Edg|OPR|Chrome|Safari)\/(\d+)/.exec(agent);
  const system = /(Windows|Mac OS X|Android|iPhone|iPad|Linux)/.exec(agent)?.[1];
  if (name === null) return agent === "" ? "Unknown browser" : agent.slice(0, 60);
  return `${name[1]?.replace("Edg", "Edge").replace("OPR", "Opera")} ${name[2]}${
    system === undefined ? "" : `, ${system}`
  }`;
}

export async function revokeSession(call: Call): Promise<Response> {
  const id = idOf(call);
  await endSession({ ctx: call.ctx, id });
  if (id !== call.session.id) return done(call, "/profile/", "Session signed out.");
  return seeOther(call, "/sign-in/", { cookies: [noSessionCookie(call.client)] });
}

export async function revokeOtherSessions(call: Call): Promise<Response> {
  const count = await endOtherSessions({ ctx: call.ctx, keep: call.session.id });
  return done(call, "/profile/", `Signed out of ${counted(count, "other session")}.`);
}
