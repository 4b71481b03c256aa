-- Which object of another system became which object here, so that a second import updates and does not double.

CREATE TABLE import_mappings (
  source TEXT NOT NULL,
  object_type TEXT NOT NULL,
  source_id INTEGER NOT NULL,
  local_id INTEGER NOT NULL,
  digest TEXT NOT NULL,
  PRIMARY KEY (source, object_type, source_id)
) STRICT, WITHOUT ROWID;
