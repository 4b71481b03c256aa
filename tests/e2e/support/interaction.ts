/** Operates a page with a mouse, or by keyboard alone. */

import assert from "node:assert/strict";
import type { Buffer } from "node:buffer";
import type { Locator, Page } from "playwright-core";

/** A file to choose. */
export interface ChosenFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

/** Actions on controls. */
export interface Interaction {
  /** Presses a button or follows a link. */
  press(control: Locator): Promise<void>;
  fill(field: Locator, text: string): Promise<void>;
  /** Chooses an option of a select by its label. */
  choose(select: Locator, label: string): Promise<void>;
  check(box: Locator): Promise<void>;
  attach(input: Locator, file: ChosenFile): Promise<void>;
}

/** Ways of operating a page, and whether its scripts run. */
export const WAYS = [
  { way: "with a mouse", scripts: true, interaction: mouse },
  { way: "by keyboard alone", scripts: true, interaction: keyboard },
  { way: "without scripts", scripts: false, interaction: mouse },
] as const;

function mouse(): Interaction {
  return {
    press: (control) => control.click(),
    fill: (field, text) => field.fill(text),
    choose: async (select, label) => void await select.selectOption({ label }),
    check: (box) => box.check(),
    attach: (input, file) => input.setInputFiles({ ...file }),
  };
}

/** More Tab stops than there are between two controls of any page. */
const MAX_STOPS = 400;

/** Returns actions that use only Tab, Enter, Space and typed text, and never a click or `focus()`. */
function keyboard(page: Page): Interaction {
  const reach = async (control: Locator): Promise<void> => {
    await control.waitFor();
    // Until then a script may move the focus to a message or to the first invalid field.
    await page.waitForLoadState();
    for (let stop = 0; stop < MAX_STOPS; stop++) {
      if (await control.evaluate((element) => element === document.activeElement)) return;
      await page.keyboard.press("Tab");
    }
    assert.fail(`Tab does not reach ${control}`);
  };
  return {
    press: async (control) => {
      await reach(control);
      await page.keyboard.press("Enter");
    },
    fill: async (field, text) => {
      await reach(field);
      await page.keyboard.press("Control+a");
      await page.keyboard.insertText(text);
    },
    choose: async (select, label) => {
      await reach(select);
      await page.keyboard.type(label);
    },
    check: async (box) => {
      await reach(box);
      await page.keyboard.press("Space");
      assert.ok(await box.isChecked());
    },
    attach: async (input, file) => {
      await reach(input);
      // Chromium sometimes ignores a key that arrives at once.
      for (let tries = 0; tries < 10; tries++) {
        const opened = page.waitForEvent("filechooser", { timeout: 3_000 }).catch(() => undefined);
        await reach(input);
        await page.keyboard.press("Enter");
        const chooser = await opened;
        if (chooser !== undefined) return await chooser.setFiles({ ...file });
      }
      assert.fail("No file can be chosen");
    },
  };
}
