-- Lists of checks begin with the most severe failures of the certificates that expire next.
ALTER TABLE compliance_checks ADD COLUMN severity_rank INTEGER
  AS (CASE severity WHEN 'critical' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END) VIRTUAL;
-- The expiry of the certificate, which a trigger keeps current.
ALTER TABLE compliance_checks ADD COLUMN certificate_valid_to INTEGER NOT NULL DEFAULT 0;
UPDATE compliance_checks SET certificate_valid_to =
  (SELECT valid_to FROM certificates WHERE certificates.id = compliance_checks.certificate_id);
CREATE INDEX compliance_checks_order ON compliance_checks (severity_rank, certificate_valid_to);
CREATE INDEX compliance_checks_expiry ON compliance_checks (certificate_valid_to);
CREATE INDEX compliance_policies_enabled ON compliance_policies (enabled); -- certificates without a current result

CREATE TRIGGER compliance_checks_expiry_insert AFTER INSERT ON compliance_checks BEGIN
  UPDATE compliance_checks SET certificate_valid_to =
    (SELECT valid_to FROM certificates WHERE certificates.id = NEW.certificate_id) WHERE id = NEW.id;
END;
CREATE TRIGGER compliance_checks_expiry_change AFTER UPDATE OF valid_to ON certificates
WHEN NEW.valid_to IS NOT OLD.valid_to BEGIN
  UPDATE compliance_checks SET certificate_valid_to = NEW.valid_to WHERE certificate_id = NEW.id;
END;
