-- Indexes that imports and updates write without need.

-- No query used it: the authority of a certificate is found among the few authorities, when the certificate is written.
DROP INDEX certificates_authority_key;

-- A quarter of a hash distinguishes keys as well as all of it, and takes a third of the space.
DROP INDEX certificates_spki;
CREATE INDEX certificates_spki ON certificates (substr(spki_sha256, 1, 16)) WHERE spki_sha256 IS NOT NULL;

-- What expires next, the expiry sweep; and counts of a status with any other short column that updates rarely change,
-- from this index alone. Every update changes last_updated.
DROP INDEX certificates_status_valid_to;
CREATE INDEX certificates_status_valid_to ON certificates (
  status, valid_to, tenant_id, issuing_ca_id, algorithm, key_size, is_acme, acme_provider, acme_auto_renewal,
  chain_status, pem_matches, valid_from
);
