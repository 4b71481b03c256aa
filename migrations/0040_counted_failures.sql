-- The failures of a day are those that its score counts, so the job that stores scores writes them, not each check.
DROP TRIGGER compliance_checks_insert;
DROP TRIGGER compliance_checks_result;
