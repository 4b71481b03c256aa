-- New certificates enter the full-text index in groups, because each insert into it writes about ten pages.

-- Those that are not in the index yet: the ones with larger ids. Searches compare each of them.
CREATE VIEW unindexed_certificates AS SELECT id, common_name, issuer, sans FROM certificates
WHERE id > (SELECT coalesce(max(id), 0) FROM certificate_search_docsize);

DROP TRIGGER certificates_search_insert;
CREATE TRIGGER certificates_sans_insert AFTER INSERT ON certificates BEGIN
  INSERT INTO certificate_sans (certificate_id, position, value)
    SELECT NEW.id, key, value FROM json_each(NEW.sans);
END;
-- A long text ends its group, so that no insert indexes more than 32 short ones and a long one.
CREATE TRIGGER certificates_search_insert AFTER INSERT ON certificates
WHEN NEW.id >= (SELECT coalesce(max(id), 0) + 32 FROM certificate_search_docsize)
  OR (length(NEW.common_name) + length(NEW.issuer) + length(NEW.sans) > 1000
    AND NEW.id > (SELECT coalesce(max(id), 0) FROM certificate_search_docsize)) BEGIN
  INSERT INTO certificate_search (rowid, common_name, issuer, sans)
    SELECT id, common_name, issuer, (SELECT group_concat(value, char(10)) FROM json_each(sans))
    FROM unindexed_certificates;
END;
-- A certificate with a smaller id, such as one that is restored.
CREATE TRIGGER certificates_search_insert_between AFTER INSERT ON certificates
WHEN NEW.id < (SELECT max(id) FROM certificate_search_docsize) BEGIN
  INSERT INTO certificate_search (rowid, common_name, issuer, sans)
    SELECT NEW.id, NEW.common_name, NEW.issuer, (SELECT group_concat(value, char(10)) FROM json_each(NEW.sans));
END;
-- An update to a long text.
CREATE TRIGGER certificates_search_update_long AFTER UPDATE OF common_name, issuer, sans ON certificates
WHEN length(NEW.common_name) + length(NEW.issuer) + length(NEW.sans) > 1000
  AND NEW.id > (SELECT coalesce(max(id), 0) FROM certificate_search_docsize) BEGIN
  INSERT INTO certificate_search (rowid, common_name, issuer, sans)
    SELECT id, common_name, issuer, (SELECT group_concat(value, char(10)) FROM json_each(sans))
    FROM unindexed_certificates;
END;
