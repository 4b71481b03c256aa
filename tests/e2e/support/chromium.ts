/** The browser of the tests: Debian's Chromium, driven by playwright-core (which does not include a browser). */

import { type Browser, chromium } from "playwright-core";

/** Names of the program, in the order in which they are searched on PATH. */
const NAMES = ["chromium", "chromium-browser", "google-chrome", "chrome"];
/** Returns the path of the program. Throws an error if it is missing. */
export async function findChromium(
  { given, path }: { given: string | undefined; path: string | undefined } = {
    given: Deno.env.get("CERTMGR_CHROMIUM"),
    path: Deno.env.get("PATH"),
  },
): Promise<string> {
  const candidates = given === undefined || given === ""
    ? (path ?? "").split(":").filter(Boolean).flatMap((folder) => NAMES.map((name) => `${folder}/${name}`))
    : [given];
  for (const candidate of candidates) {
    if (await Deno.stat(candidate).then(({ isFile }) => isFile, () => false)) return candidate;
  }
  throw new Error("chromium is neither on PATH nor where CERTMGR_CHROMIUM says");
}

/**
 * Disabled features of Chromium. It uses the last list of a command line, so Playwright's own list (in its
 * `chromiumSwitches.ts`) is repeated here.
 */
const DISABLED_FEATURES = [
  "AvoidCorsURLLoaderRestartOnRedirect",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "AimEnabled",
  "DestroyProfileOnBrowserClose",
  "HttpsFirstBalancedModeAutoEnable",
  "HttpsUpgrades",
  "LensOverlay",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "PreconnectToSearch",
  "ThirdPartyStoragePartitioning",
  // Two pages of the address bar, which no test opens and which take half the processor time of a new window.
  "WebUIOmniboxAimPopup",
  "WebUIOmniboxPopup",
];

let running: Promise<Browser> | undefined;

/** Returns the browser, which is started once for all tests of a file and ends with them. */
export function browser(): Promise<Browser> {
  return running ??= start();
}

async function start(): Promise<Browser> {
  return await chromium.launch({
    executablePath: await findChromium(),
    // A sandbox needs a user other than root, but in containers root runs the tests. All pages are our own.
    args: [
      "--no-sandbox",
      "--disable-dev-shm-usage",
      "--force-color-profile=srgb",
      "--lang=en-GB",
      `--disable-features=${DISABLED_FEATURES.join(",")}`,
    ],
  });
}

/** Closes the browser, if it was started. */
export async function closeBrowser(): Promise<void> {
  const ended = running;
  running = undefined;
  await (await ended?.catch(() => undefined))?.close();
}
