-- Chains are stored once: most certificates have one of a few.

CREATE TABLE issuer_chains (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  sha256 TEXT NOT NULL UNIQUE,
  content TEXT NOT NULL
) STRICT;

CREATE TABLE certificate_issuer_chains (
  certificate_id INTEGER NOT NULL PRIMARY KEY REFERENCES certificates (id) ON DELETE CASCADE,
  chain_id INTEGER NOT NULL REFERENCES issuer_chains (id) ON DELETE RESTRICT
) STRICT;
CREATE INDEX certificate_issuer_chains_chain ON certificate_issuer_chains (chain_id);

-- A chain goes with the last certificate that has it.
CREATE TRIGGER certificate_issuer_chains_delete AFTER DELETE ON certificate_issuer_chains
WHEN NOT EXISTS (SELECT 1 FROM certificate_issuer_chains WHERE chain_id = OLD.chain_id) BEGIN
  DELETE FROM issuer_chains WHERE id = OLD.chain_id;
END;

CREATE TRIGGER certificate_issuer_chains_update AFTER UPDATE OF chain_id ON certificate_issuer_chains
WHEN NEW.chain_id <> OLD.chain_id
  AND NOT EXISTS (SELECT 1 FROM certificate_issuer_chains WHERE chain_id = OLD.chain_id) BEGIN
  DELETE FROM issuer_chains WHERE id = OLD.chain_id;
END;

-- The chains in certificate_texts are read from there until a job has moved them, in the order of the certificates.
CREATE TABLE unshared_issuer_chains (
  next_certificate INTEGER NOT NULL PRIMARY KEY,
  last_certificate INTEGER NOT NULL
) STRICT;
INSERT INTO unshared_issuer_chains (next_certificate, last_certificate)
  SELECT * FROM (
    SELECT (SELECT min(certificate_id) FROM certificate_texts) AS first,
      (SELECT max(certificate_id) FROM certificate_texts) AS last
  ) WHERE first IS NOT NULL;

INSERT INTO sqlite_sequence (name, seq) VALUES ('issuer_chains', 0);
