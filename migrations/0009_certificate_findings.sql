-- Findings about the stored PEM of a certificate, so that readable but malformed certificates can be found.
-- A JSON list of {code, message, section}; NULL in rows from before, until a job has read their PEM.
ALTER TABLE certificates ADD COLUMN findings TEXT CHECK (json_type(findings) = 'array');
CREATE INDEX certificates_findings_unread ON certificates (id) WHERE findings IS NULL AND has_pem = 1;

-- One row for each code of a certificate; written by triggers, never by code.
CREATE TABLE certificate_findings (
  code TEXT NOT NULL,
  certificate_id INTEGER NOT NULL REFERENCES certificates (id) ON DELETE CASCADE,
  PRIMARY KEY (code, certificate_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX certificate_findings_certificate ON certificate_findings (certificate_id);

CREATE TRIGGER certificate_findings_insert AFTER INSERT ON certificates
WHEN NEW.findings <> '[]' BEGIN
  INSERT OR IGNORE INTO certificate_findings (code, certificate_id)
    SELECT value ->> 'code', NEW.id FROM json_each(NEW.findings);
END;

CREATE TRIGGER certificate_findings_update AFTER UPDATE OF findings ON certificates
WHEN NEW.findings IS NOT OLD.findings BEGIN
  DELETE FROM certificate_findings WHERE certificate_id = NEW.id;
  INSERT OR IGNORE INTO certificate_findings (code, certificate_id)
    SELECT value ->> 'code', NEW.id FROM json_each(NEW.findings);
END;
