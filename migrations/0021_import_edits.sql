-- The columns of a previewed table as its headings name them, and the cells that were corrected since.

ALTER TABLE import_previews ADD COLUMN headings TEXT NOT NULL DEFAULT '[]';
ALTER TABLE import_previews ADD COLUMN edits TEXT NOT NULL DEFAULT '{}';
