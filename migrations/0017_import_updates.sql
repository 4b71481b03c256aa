-- Whether the import of a previewed table replaces the values of existing certificates.

ALTER TABLE import_previews ADD COLUMN overwrite INTEGER NOT NULL DEFAULT 0;
