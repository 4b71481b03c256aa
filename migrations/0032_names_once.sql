-- The table of names, which follows from certificates.sans, is ordered by name and needs no index.

DROP TRIGGER certificates_search_insert;
DROP TRIGGER certificates_sans_update;
DROP TRIGGER certificates_delete;

ALTER TABLE certificate_sans RENAME TO earlier_certificate_sans;
DROP INDEX certificate_sans_value;
CREATE TABLE certificate_sans (
  certificate_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (value COLLATE NOCASE, certificate_id, position)
) STRICT, WITHOUT ROWID;
INSERT INTO certificate_sans (certificate_id, position, value)
  SELECT certificate_id, position, value FROM earlier_certificate_sans ORDER BY value COLLATE NOCASE, 1, 2;
DROP TABLE earlier_certificate_sans;

CREATE TRIGGER certificates_search_insert AFTER INSERT ON certificates BEGIN
  INSERT INTO certificate_sans (certificate_id, position, value)
    SELECT NEW.id, key, value FROM json_each(NEW.sans);
  INSERT INTO certificate_search (rowid, common_name, issuer, sans)
    SELECT NEW.id, NEW.common_name, NEW.issuer,
      (SELECT group_concat(value, char(10)) FROM json_each(NEW.sans));
END;

CREATE TRIGGER certificates_sans_update AFTER UPDATE OF sans ON certificates
WHEN NEW.sans IS NOT OLD.sans BEGIN
  DELETE FROM certificate_sans
    WHERE value COLLATE NOCASE IN (SELECT value FROM json_each(OLD.sans)) AND certificate_id = OLD.id;
  INSERT INTO certificate_sans (certificate_id, position, value)
    SELECT NEW.id, key, value FROM json_each(NEW.sans);
END;

-- The names have no foreign key, which would need an index by certificate.
CREATE TRIGGER certificates_delete AFTER DELETE ON certificates BEGIN
  DELETE FROM certificate_sans
    WHERE value COLLATE NOCASE IN (SELECT value FROM json_each(OLD.sans)) AND certificate_id = OLD.id;
  DELETE FROM certificate_search WHERE rowid = OLD.id;
  DELETE FROM tagged_items WHERE object_type = 'certmgr.certificate' AND object_id = OLD.id;
END;
