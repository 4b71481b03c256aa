/** The browser of the tests: Debian's Chromium, driven by playwright-core (which does not include a browser). */

import { type Browser, chromium } from "playwright-core";

/** Names of the program, in the order in which they are looked for along PATH. */
const NAMES = ["chromium", "chromium-browser", "google-chrome", "chrome"];
const MISSING =
  `Chromium is missing. Run "apt-get install chromium fonts-dejavu-core", or set CERTMGR_CHROMIUM to its path.`;

/** Where the program is. Throws a sentence on how to get it when it is nowhere. */
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
  throw new Error(MISSING);
}

/**
 * What Chromium is to do without. It takes the last list of a command line, so that Playwright's own (its
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
  // Two pages behind the address bar, which no test opens: they take half the processor time of a new window.
  "WebUIOmniboxAimPopup",
  "WebUIOmniboxPopup",
];

let running: Promise<Browser> | undefined;

/** The browser, started once for all tests of a file; it ends with them. */
export function browser(): Promise<Browser> {
  return running ??= start();
}

async function start(): Promise<Browser> {
  return await chromium.launch({
    executablePath: await findChromium(),
    // A sandbox needs a user other than root, who runs the tests in containers; pages here are our own.
    args: [
      "--no-sandbox",
      "--disable-dev-shm-usage",
      "--force-color-profile=srgb",
      "--lang=en-GB",
      `--disable-features=${DISABLED_FEATURES.join(",")}`,
    ],
  });
}

/** Ends the browser, if it was started. */
export async function closeBrowser(): Promise<void> {
  const ended = running;
  running = undefined;
  await (await ended?.catch(() => undefined))?.close();
}
