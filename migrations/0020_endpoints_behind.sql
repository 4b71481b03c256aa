-- Replaced certificates that endpoints still serve: notices about them go on.
CREATE INDEX endpoints_behind ON endpoints (certificate_id) WHERE watch_step IS NOT NULL;
