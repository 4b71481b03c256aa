/** The profile of the user, in sections. */

import type { FieldErrors } from "../../../base/errors.ts";
import { ROW_HEIGHTS } from "../../../domain/accounts/preferences/mod.ts";
import { listSessions } from "../../../domain/accounts/sessions/web_sessions.ts";
import type { Call } from "../../call.ts";
import {
  Badge,
  type Content,
  Form,
  type Html,
  Select,
  Table,
  TextField,
  Time,
} from "../../kit/components/mod.ts";
import { PostButton } from "../../kit/mod.ts";
import { page } from "../../shell/mod.ts";
import { SECURITY_PATH } from "./second_factors.tsx";
import { ownTokens, PasswordForm, TokenList } from "./profile_forms.tsx";
import { textOf } from "../../forms.ts";

/** Renders the page in sections, with the errors of one of its forms. */
export async function profilePage(
  call: Call,
  wrong?: { readonly form: "tokens" | "password" | "display"; readonly errors: FieldErrors },
): Promise<Response> {
  const { session } = call;
  const { username, isSuperuser, hasSecondFactor } = session.actor;
  const [list, sessions] = await Promise.all([
    ownTokens(call),
    listSessions(call),
  ]);
  const errorsOf = (form: string): FieldErrors => wrong?.form === form ? wrong.errors : {};
  return page(
    call,
    { title: "Profile", errors: wrong?.errors },
    <>
      <Setting id="account" title="Account" about="Who you are here, and how you sign in.">
        <div class="box">
          <p>
            Signed in as <strong>{username}</strong>
            {isSuperuser ? ", a superuser with all permissions." : "."}
          </p>
          {session.isLocal
            ? (
              <p>
                Second factor:{" "}
                {hasSecondFactor ? <Badge value="set up" tone="good" /> : <Badge value="none" tone="warn" />}
              </p>
            )
            : null}
          <p>
            <a href={SECURITY_PATH}>Sign-in and security</a>: passkeys, authenticator app, recovery codes.
          </p>
        </div>
        <PasswordForm call={call} errors={errorsOf("password")} />
      </Setting>
      <Setting
        id="sessions"
        title="Sessions"
        about="Where you are signed in. Sign out of sessions that you do not recognize, and change your password."
      >
        <Table
          caption="Sessions"
          rows={sessions}
          columns={[
            { label: "Browser", cell: (row) => browserOf(row.user_agent) },
            { label: "IP address", cell: (row) => row.address, layout: ["p2", "folds"] },
            { label: "Signed in", cell: (row) => <Time at={row.created} />, layout: ["p2"] },
            {
              label: "Last seen",
              cell: (row) => <Time at={row.last_seen} />,
              layout: ["p2", "folds"],
            },
            {
              label: "Actions",
              layout: ["hidden-label"],
              cell: ({ id }) =>
                id === session.id ? <Badge value="this session" tone="good" /> : (
                  <PostButton
                    call={call}
                    action={`/profile/sessions/${id}/end/`}
                    label="Sign out"
                    class="secondary small"
                  />
                ),
            },
          ]}
        />
        {sessions.length < 2 ? null : (
          <Form call={call} action="/profile/sessions/end-others/">
            <button type="submit" class="secondary">Sign out all other sessions</button>
          </Form>
        )}
      </Setting>
      <Setting
        id="tokens"
        title="API tokens"
        about="For programs that use the REST API, GraphQL or the command line with your permissions."
      >
        <TokenList call={call} list={list} errors={errorsOf("tokens")} />
      </Setting>
      <Setting
        id="display"
        title="Display"
        about="In which time zone pages show times, how high the rows of lists are, and which keys pages have."
      >
        <Form call={call} action="/profile/display/" class="box">
          <TextField
            name="time_zone"
            value={call.form.has("time_zone") ? textOf(call.form, "time_zone") : session.preferences.timeZone}
            help="Such as Europe/Berlin. Empty: that of your browser. Without scripts, times are in UTC."
            errors={errorsOf("display")}
          />
          <Select
            name="row_height"
            label="Rows of lists"
            value={String(session.preferences.rowHeight)}
            options={ROW_HEIGHTS.map((height) => [String(height), `${height} pixels`])}
            errors={errorsOf("display")}
          />
          <div class="form-actions">
            <button type="submit">Save display</button>
          </div>
        </Form>
        {/* Only scripts read keys. The browser keeps the choice. */}
        <p class="box" data-plain-keys="" hidden>
          <label>
            <input type="checkbox" />
            Keys without Ctrl, such as <code>/</code> and <code>j</code>, in this browser
          </label>
        </p>
      </Setting>
    </>,
  );
}

/** Renders a heading with an explanation, and the content next to it on wide screens. */
function Setting(
  { id, title, about, children }: { id: string; title: string; about: string; children?: Content },
): Html {
  return (
    <section class="setting" aria-labelledby={id}>
      <div>
        <h2 id={id}>{title}</h2>
        <p class="faint">{about}</p>
      </div>
      <div>{children}</div>
    </section>
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
