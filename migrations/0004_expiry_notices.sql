-- Who is told how long before a certificate expires, and what was told already; calendars that can be changed.

-- Thresholds (`["30d", "33%"]`); NULL inherits: a certificate its tenant's, a tenant the service's.
ALTER TABLE tenants ADD COLUMN expiry_notices TEXT CHECK (json_type(expiry_notices) = 'array');
ALTER TABLE certificates ADD COLUMN expiry_notices TEXT CHECK (json_type(expiry_notices) = 'array');
CREATE INDEX certificates_expiry_notices ON certificates (expiry_notices); -- those with thresholds of their own
-- What may still be announced, in the order in which it ends, with all that decides whether it is due.
CREATE INDEX certificates_awaiting_expiry ON certificates (valid_to, id, valid_from, tenant_id, expiry_notices)
  WHERE replaced_by_id IS NULL AND status IN ('active', 'pending');

-- Thresholds that a validity has passed: announced, or passed over for a nearer one. Those of another `valid_to` do
-- not count any more.
CREATE TABLE expiry_notices_passed (
  certificate_id INTEGER NOT NULL REFERENCES certificates (id) ON DELETE CASCADE,
  threshold TEXT NOT NULL,
  valid_to INTEGER NOT NULL,
  announced INTEGER NOT NULL CHECK (announced IN (0, 1)),
  passed_at INTEGER NOT NULL,
  PRIMARY KEY (certificate_id, threshold)
) STRICT, WITHOUT ROWID;
INSERT INTO expiry_notices_passed (certificate_id, threshold, valid_to, announced, passed_at)
  SELECT certificate_id, expiry_notices.threshold || 'd', valid_to, 1, sent_at
  FROM expiry_notices JOIN certificates ON certificates.id = certificate_id;
DROP TABLE expiry_notices; -- days only, and blind to a validity that changes

ALTER TABLE calendar_feeds ADD COLUMN description TEXT NOT NULL DEFAULT '';
ALTER TABLE calendar_feeds ADD COLUMN alarm_days INTEGER CHECK (alarm_days >= 0);
ALTER TABLE calendar_feeds ADD COLUMN last_updated INTEGER NOT NULL DEFAULT 0;
UPDATE calendar_feeds SET last_updated = created;
