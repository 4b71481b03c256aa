/** Layouts: the one with navigation, and the plain one of the sign-in page. */

import type { Preferences } from "../../auth/mod.ts";
import type { FieldErrors } from "../../base/errors.ts";
import { assetPath } from "../assets/mod.ts";
import type { Call, Flash, PublicCall } from "../call.ts";
import { Form } from "../kit/components/form.tsx";
import type { Content, Html } from "../kit/components/html.ts";
import { Icon } from "../kit/components/icon.tsx";
import { BreakableName } from "../kit/components/name.tsx";
import { truncate } from "../kit/components/texts.ts";
import { document } from "../responses.ts";
import { Navigation, PlaceTabs, titleOf } from "./navigation.tsx";

/** Title, breadcrumbs and actions of a page. */
export interface PageOptions {
  readonly title: string;
  /** Breadcrumbs: `[["Tenants", "/tenants/"]]`. */
  readonly above?: readonly (readonly [label: string, path: string])[];
  /** Actions, shown next to the title. */
  readonly actions?: Content;
  /** Default: 200, or 400 with errors. */
  readonly status?: number;
  readonly errors?: FieldErrors | undefined;
  /** The id of the rows of a list, for the skip link: `#rows`. */
  readonly rows?: string;
}

/** Renders a page for a signed-in user. */
export function page(call: Call, options: PageOptions, body: Content): Response {
  const { above = [], actions, errors = {}, rows } = options;
  const title = titleOf(call, options.title);
  const { status = Object.keys(errors).length > 0 ? 400 : 200 } = options;
  const html = (
    <Document title={title} preferences={call.session.preferences}>
      {/* The first stop leads to the rows of a list, past its search, filters and actions. */}
      {rows === undefined ? null : <a class="skip" href={rows}>Skip to the list</a>}
      <a class="skip" href="#content">Skip to content</a>
      <Header call={call} />
      <div class="frame">
        <Navigation call={call} />
        <main id="content" tabindex={-1}>
          <PlaceTabs call={call} />
          {above.length === 0 ? null : (
            <nav class="crumbs" aria-label="Breadcrumb">
              <ol>
                {above.map(([label, path]) => (
                  <li>
                    <a href={path}>
                      <bdi>{label}</bdi>
                    </a>
                  </li>
                ))}
              </ol>
            </nav>
          )}
          <FlashMessage flash={call.flash} undo={<Undo call={call} />} />
          <div class="heading">
            <h1>
              <BreakableName text={title} />
            </h1>
            {actions === undefined ? null : <div class="actions">{actions}</div>}
          </div>
          {body}
        </main>
      </div>
    </Document>
  );
  return document(call, String(html), status);
}

/** Renders a page without sign-in. */
export function bare(call: PublicCall, { title, status = 200 }: PageOptions, body: Content): Response {
  const html = (
    <Document title={title}>
      <main id="content" class="bare">
        <p class="brand">
          <img src={assetPath("icon.svg")} alt="" width="28" height="28" /> certmgr
        </p>
        <p class="faint product">Certificate inventory · {call.url.host}</p>
        <FlashMessage flash={call.flash} />
        <h1>{title}</h1>
        {body}
      </main>
    </Document>
  );
  return document(call, String(html), status);
}

function Document(
  { title, preferences: { timeZone = "", rowHeight } = {}, children }: {
    title: string;
    /** A script shows times in this time zone; empty for that of the browser. */
    preferences?: Partial<Preferences>;
    children?: Content;
  },
): Html {
  return (
    <html
      lang="en"
      data-time-zone={timeZone === "" ? undefined : timeZone}
      data-row-height={rowHeight}
    >
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${truncate(title)} · certmgr`}</title>
        <link rel="icon" href={assetPath("icon.svg")} type="image/svg+xml" />
        <link rel="preload" href={assetPath("inter.woff2")} as="font" type="font/woff2" crossorigin="" />
        <link rel="stylesheet" href={assetPath("pico.css")} />
        <link rel="stylesheet" href={assetPath("app.css")} />
        <script type="module" src={assetPath("app.js")}></script>
      </head>
      <body>{children}</body>
    </html>
  );
}

/** Renders search and account. */
function Header({ call }: { call: Call }): Html {
  const { username } = call.session.actor;
  return (
    <header class="top">
      <button type="button" class="plain menu-button" popovertarget="menu" aria-label="Menu">
        <Icon name="menu" />
      </button>
      <a class="brand" href="/">
        <img src={assetPath("icon.svg")} alt="" width="24" height="24" /> certmgr
      </a>
      <form class="search" role="search" action="/search/" method="get">
        <input
          type="search"
          name="q"
          aria-label="Search everything"
          placeholder="Search everything"
          data-palette="/search/results/"
          aria-keyshortcuts="/ Control+K"
        />
        <kbd aria-hidden="true">Ctrl K</kbd>
      </form>
      <a class="account" href="/profile/" title="Profile">
        <Icon name="user" />
        <span>{username}</span>
      </a>
      <Form call={call} action="/sign-out/" class="inline">
        <button type="submit" class="plain" title="Sign out" aria-label="Sign out">
          <Icon name="out" />
        </button>
      </Form>
    </header>
  );
}

/** Renders the button that undoes the action of the message. */
function Undo({ call }: { call: Call }): Html | null {
  const undo = call.flash?.undo;
  if (undo === undefined) return null;
  return (
    <Form
      call={call}
      action={undo.list === undefined ? "/certificates/undo/" : `${undo.list}undo-edit/`}
      class="inline"
    >
      <input type="hidden" name="action" value={undo.action} />
      <input type="hidden" name="request_id" value={undo.requestId} />
      <input type="hidden" name="back" value={`${call.url.pathname}${call.url.search}`} />
      <button type="submit" class="secondary small">Undo</button>
    </Form>
  );
}

function FlashMessage({ flash, undo }: { flash: Flash | undefined; undo?: Content }): Html | null {
  if (flash === undefined) return null;
  return (
    <div class={`flash ${flash.kind}`} role={flash.kind === "error" ? "alert" : "status"}>
      <Icon name={flash.kind === "success" ? "check" : "warning"} />
      <span>
        {flash.text}
        {flash.link === undefined ? null : (
          <>
            {" "}
            <a href={flash.link.path}>{flash.link.label}</a>
          </>
        )}
      </span>
      {undo}
    </div>
  );
}
