-- Comments and notes, and certificates that are kept but take no part in daily work.

ALTER TABLE certificates ADD COLUMN description TEXT NOT NULL DEFAULT '';
ALTER TABLE certificates ADD COLUMN comments TEXT NOT NULL DEFAULT '';
ALTER TABLE certificates ADD COLUMN renewal_note TEXT NOT NULL DEFAULT '';
ALTER TABLE certificates ADD COLUMN archived INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0, 1));
ALTER TABLE certificates ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1));
CREATE INDEX certificates_archived ON certificates (archived) WHERE archived = 1;

ALTER TABLE certificate_authorities ADD COLUMN instructions TEXT NOT NULL DEFAULT '';
ALTER TABLE certificate_authorities ADD COLUMN renewal_note TEXT NOT NULL DEFAULT '';
ALTER TABLE certificate_authorities ADD COLUMN comments TEXT NOT NULL DEFAULT '';
ALTER TABLE tenants ADD COLUMN comments TEXT NOT NULL DEFAULT '';
ALTER TABLE devices ADD COLUMN comments TEXT NOT NULL DEFAULT '';
ALTER TABLE virtual_machines ADD COLUMN comments TEXT NOT NULL DEFAULT '';
ALTER TABLE services ADD COLUMN comments TEXT NOT NULL DEFAULT '';

-- Archived and not pinned: the certificates that lists leave out. A table of its own, so that a list or a count that
-- an index of certificates answers need not read their rows.
CREATE TABLE archived_certificates (
  certificate_id INTEGER PRIMARY KEY REFERENCES certificates (id) ON DELETE CASCADE
) STRICT;

CREATE TRIGGER certificates_archive_insert AFTER INSERT ON certificates
WHEN NEW.archived = 1 AND NEW.pinned = 0 BEGIN
  INSERT INTO archived_certificates (certificate_id) VALUES (NEW.id);
END;

CREATE TRIGGER certificates_archive_update AFTER UPDATE OF archived, pinned ON certificates
WHEN OLD.archived <> NEW.archived OR OLD.pinned <> NEW.pinned BEGIN
  DELETE FROM archived_certificates WHERE certificate_id = NEW.id;
  INSERT INTO archived_certificates (certificate_id) SELECT NEW.id WHERE NEW.archived = 1 AND NEW.pinned = 0;
END;
