-- Certificates of one issuer have much in common, which is stored once.
-- Texts from before stay as they are until they are written again.

-- What certificates of an issuer have in common, for the compression of their DER. Never changed and never deleted:
-- certificates that were compressed with it cannot be read without it.
CREATE TABLE pem_dictionaries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- A hash of the issuer's name.
  issuer INTEGER NOT NULL UNIQUE,
  content BLOB NOT NULL
) STRICT;

-- NULL if pem_packed needs none.
ALTER TABLE certificate_texts ADD COLUMN pem_dictionary INTEGER;
