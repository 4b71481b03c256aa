-- The full-text index of names records the columns in which a group of three letters occurs, not the places.
-- Searches compare the texts themselves anyway, so the index need not tell where in a text.

DROP TABLE certificate_search;
CREATE VIRTUAL TABLE certificate_search USING fts5(
  common_name, issuer, sans,
  content = '', contentless_delete = 1, tokenize = 'trigram', detail = column
);
INSERT INTO certificate_search (rowid, common_name, issuer, sans)
  SELECT id, common_name, issuer, (SELECT group_concat(value, char(10)) FROM json_each(sans)) FROM certificates;

-- Hardly any certificate has thresholds of its own.
DROP INDEX certificates_expiry_notices;
CREATE INDEX certificates_expiry_notices ON certificates (expiry_notices) WHERE expiry_notices IS NOT NULL;
