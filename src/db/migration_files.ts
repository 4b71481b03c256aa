/**
 * The migrations of this release. They are part of the modules, so that no files have to be read when the
 * service runs.
 */

import initialSchema from "../../migrations/0001_initial_schema.sql" with { type: "text" };
import certificateBlocks from "../../migrations/0002_certificate_blocks.sql" with { type: "text" };
import webhookDelivery from "../../migrations/0003_webhook_delivery.sql" with { type: "text" };
import expiryNotices from "../../migrations/0004_expiry_notices.sql" with { type: "text" };
import importPreviews from "../../migrations/0005_import_previews.sql" with { type: "text" };
import sweptExpiries from "../../migrations/0006_swept_expiries.sql" with { type: "text" };
import contacts from "../../migrations/0007_contacts.sql" with { type: "text" };
import endpoints from "../../migrations/0008_endpoints.sql" with { type: "text" };
import certificateFindings from "../../migrations/0009_certificate_findings.sql" with { type: "text" };
import hostDetails from "../../migrations/0010_host_details.sql" with { type: "text" };
import notices from "../../migrations/0011_notices.sql" with { type: "text" };
import commentsAndArchive from "../../migrations/0012_comments_and_archive.sql" with { type: "text" };
import customFields from "../../migrations/0013_custom_fields.sql" with { type: "text" };
import renewalWatch from "../../migrations/0014_renewal_watch.sql" with { type: "text" };
import signIn from "../../migrations/0015_sign_in.sql" with { type: "text" };
import importMappings from "../../migrations/0016_import_mappings.sql" with { type: "text" };
import importUpdates from "../../migrations/0017_import_updates.sql" with { type: "text" };
import secondFactors from "../../migrations/0018_second_factors.sql" with { type: "text" };
import smallResourceFields from "../../migrations/0019_small_resource_fields.sql" with { type: "text" };
import endpointsBehind from "../../migrations/0020_endpoints_behind.sql" with { type: "text" };
import importEdits from "../../migrations/0021_import_edits.sql" with { type: "text" };
import enabledWebhooks from "../../migrations/0022_enabled_webhooks.sql" with { type: "text" };
import netboxNames from "../../migrations/0023_netbox_names.sql" with { type: "text" };
import endpointSeverity from "../../migrations/0024_endpoint_severity.sql" with { type: "text" };
import savedViews from "../../migrations/0025_saved_views.sql" with { type: "text" };
import statusWatch from "../../migrations/0026_status_watch.sql" with { type: "text" };
import webhookTemplates from "../../migrations/0027_webhook_templates.sql" with { type: "text" };
import complianceHistory from "../../migrations/0028_compliance_history.sql" with { type: "text" };
import issuerChains from "../../migrations/0029_issuer_chains.sql" with { type: "text" };
import changeSnapshots from "../../migrations/0030_change_snapshots.sql" with { type: "text" };
import packedCertificates from "../../migrations/0031_packed_certificates.sql" with { type: "text" };
import namesOnce from "../../migrations/0032_names_once.sql" with { type: "text" };
import searchColumns from "../../migrations/0033_search_columns.sql" with { type: "text" };
import packedSnapshots from "../../migrations/0034_packed_snapshots.sql" with { type: "text" };
import pemDictionaries from "../../migrations/0035_pem_dictionaries.sql" with { type: "text" };
import smallerIndexes from "../../migrations/0036_smaller_indexes.sql" with { type: "text" };
import computedDigits from "../../migrations/0037_computed_digits.sql" with { type: "text" };
import checkOrder from "../../migrations/0038_check_order.sql" with { type: "text" };
import webhookEnabledAfter from "../../migrations/0039_webhook_enabled_after.sql" with { type: "text" };
import countedFailures from "../../migrations/0040_counted_failures.sql" with { type: "text" };
import evaluationProgress from "../../migrations/0041_evaluation_progress.sql" with { type: "text" };
import searchInGroups from "../../migrations/0042_search_in_groups.sql" with { type: "text" };
import type { Migration } from "./migrate.ts";

/** All migrations in the order in which they are applied. Each file of `migrations/` is in the list. */
export const MIGRATIONS: readonly Migration[] = [
  { name: "0001_initial_schema", sql: initialSchema },
  { name: "0002_certificate_blocks", sql: certificateBlocks },
  { name: "0003_webhook_delivery", sql: webhookDelivery },
  { name: "0004_expiry_notices", sql: expiryNotices },
  { name: "0005_import_previews", sql: importPreviews },
  { name: "0006_swept_expiries", sql: sweptExpiries },
  { name: "0007_contacts", sql: contacts },
  { name: "0008_endpoints", sql: endpoints },
  { name: "0009_certificate_findings", sql: certificateFindings },
  { name: "0010_host_details", sql: hostDetails },
  { name: "0011_notices", sql: notices },
  { name: "0012_comments_and_archive", sql: commentsAndArchive },
  { name: "0013_custom_fields", sql: customFields },
  { name: "0014_renewal_watch", sql: renewalWatch },
  { name: "0015_sign_in", sql: signIn },
  { name: "0016_import_mappings", sql: importMappings },
  { name: "0017_import_updates", sql: importUpdates },
  { name: "0018_second_factors", sql: secondFactors },
  { name: "0019_small_resource_fields", sql: smallResourceFields },
  { name: "0020_endpoints_behind", sql: endpointsBehind },
  { name: "0021_import_edits", sql: importEdits },
  { name: "0022_enabled_webhooks", sql: enabledWebhooks },
  { name: "0023_netbox_names", sql: netboxNames },
  { name: "0024_endpoint_severity", sql: endpointSeverity },
  { name: "0025_saved_views", sql: savedViews },
  { name: "0026_status_watch", sql: statusWatch },
  { name: "0027_webhook_templates", sql: webhookTemplates },
  { name: "0028_compliance_history", sql: complianceHistory },
  { name: "0029_issuer_chains", sql: issuerChains },
  { name: "0030_change_snapshots", sql: changeSnapshots },
  { name: "0031_packed_certificates", sql: packedCertificates },
  { name: "0032_names_once", sql: namesOnce },
  { name: "0033_search_columns", sql: searchColumns },
  { name: "0034_packed_snapshots", sql: packedSnapshots },
  { name: "0035_pem_dictionaries", sql: pemDictionaries },
  { name: "0036_smaller_indexes", sql: smallerIndexes },
  { name: "0037_computed_digits", sql: computedDigits },
  { name: "0038_check_order", sql: checkOrder },
  { name: "0039_webhook_enabled_after", sql: webhookEnabledAfter },
  { name: "0040_counted_failures", sql: countedFailures },
  { name: "0041_evaluation_progress", sql: evaluationProgress },
  { name: "0042_search_in_groups", sql: searchInGroups },
];
