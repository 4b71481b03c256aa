-- The digits of serial numbers and fingerprints are computed from the texts as they were given.
-- Only the indexes store them.

DROP INDEX certificates_serial_issuer;
DROP INDEX certificates_fingerprint;
ALTER TABLE certificates DROP COLUMN serial_hex;
ALTER TABLE certificates DROP COLUMN fingerprint_hex;
-- Lower case, without colons and leading zeros; `0` for zero.
ALTER TABLE certificates ADD COLUMN serial_hex TEXT
  AS (coalesce(nullif(ltrim(lower(replace(serial_number, ':', '')), '0'), ''), '0')) VIRTUAL;
ALTER TABLE certificates ADD COLUMN fingerprint_hex TEXT AS (lower(replace(fingerprint_sha256, ':', ''))) VIRTUAL;
CREATE UNIQUE INDEX certificates_serial_issuer ON certificates (serial_hex, issuer); -- what makes a duplicate
CREATE INDEX certificates_fingerprint ON certificates (fingerprint_hex);
