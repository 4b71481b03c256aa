-- The status that the expiry sweep took from a certificate, which gets it back where a wrong clock had ended it.
-- NULL where a person said `expired`, and where the status is another one.
ALTER TABLE certificates ADD COLUMN expired_from TEXT CHECK (expired_from IN ('active', 'pending'));
-- Those that may have to be restored, by their end.
CREATE INDEX certificates_swept ON certificates (valid_to) WHERE expired_from IS NOT NULL;
