/** The migrations that ship with the service, as part of its modules: nothing has to be read when it runs. */

import initialSchema from "../../migrations/0001_initial_schema.sql" with { type: "text" };
import certificateBlocks from "../../migrations/0002_certificate_blocks.sql" with { type: "text" };
import webhookDelivery from "../../migrations/0003_webhook_delivery.sql" with { type: "text" };
import expiryNotices from "../../migrations/0004_expiry_notices.sql" with { type: "text" };
import importPreviews from "../../migrations/0005_import_previews.sql" with { type: "text" };
import sweptExpiries from "../../migrations/0006_swept_expiries.sql" with { type: "text" };
import type { Migration } from "./migrate.ts";

/** All migrations in the order of application; each file of `migrations/` is among them. */
export const MIGRATIONS: readonly Migration[] = [
  { name: "0001_initial_schema", sql: initialSchema },
  { name: "0002_certificate_blocks", sql: certificateBlocks },
  { name: "0003_webhook_delivery", sql: webhookDelivery },
  { name: "0004_expiry_notices", sql: expiryNotices },
  { name: "0005_import_previews", sql: importPreviews },
  { name: "0006_swept_expiries", sql: sweptExpiries },
];
