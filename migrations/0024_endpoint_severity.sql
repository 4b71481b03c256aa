-- The rank of the state of an endpoint, so that lists can show the worst first; 11: not probed yet.
ALTER TABLE endpoints ADD COLUMN severity INTEGER NOT NULL DEFAULT 11;
UPDATE endpoints SET severity = CASE state
  WHEN 'unreachable' THEN 0
  WHEN 'tls_error' THEN 1
  WHEN 'expired' THEN 2
  WHEN 'not_yet_valid' THEN 3
  WHEN 'name_mismatch' THEN 4
  WHEN 'untrusted' THEN 5
  WHEN 'incomplete_chain' THEN 6
  WHEN 'wrong_certificate' THEN 7
  WHEN 'superseded' THEN 8
  WHEN 'expiring' THEN 9
  WHEN 'ok' THEN 10
  ELSE 11
END;
CREATE INDEX endpoints_severity ON endpoints (severity);
-- Endpoints that serve a certificate that is not the right one, even if another state is worse.
CREATE INDEX endpoints_wrong ON endpoints (certificate_id) WHERE instr(states, '"wrong_certificate"') > 0;
-- The host's own name is the same as no server name. Endpoints that exist in both forms stay.
UPDATE OR IGNORE endpoints SET server_name = NULL WHERE server_name = host;
