-- What a bulk import would do, row by row, until it is confirmed: pages of it are read without reading the text again.

-- Nothing has written to the first form of this table.
DROP TABLE import_previews;

CREATE TABLE import_previews (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  key TEXT NOT NULL UNIQUE,          -- names it in addresses; no secret, for only its user is answered
  format TEXT NOT NULL,              -- csv, json
  on_duplicate TEXT NOT NULL,        -- error, skip
  tenant TEXT NOT NULL DEFAULT '',   -- name, slug or id, for rows that name none
  content TEXT NOT NULL,             -- the document; never one that holds a private key
  columns TEXT NOT NULL,             -- JSON: names, in the order in which they are shown
  errors TEXT NOT NULL,              -- JSON: [{field, message}] about the document as a whole
  created INTEGER NOT NULL,
  expires INTEGER NOT NULL,
  confirmed INTEGER                  -- when its rows became certificates; null: not yet
) STRICT;
CREATE INDEX import_previews_user ON import_previews (user_id);
CREATE INDEX import_previews_expires ON import_previews (expires);

CREATE TABLE import_preview_rows (
  preview_id INTEGER NOT NULL REFERENCES import_previews (id) ON DELETE CASCADE,
  place INTEGER NOT NULL,            -- 1 is the first row of data
  status TEXT NOT NULL,              -- create, skip, error
  cells TEXT NOT NULL,               -- JSON: a text for each column, null where there is none, [text, length] where cut
  messages TEXT NOT NULL,            -- JSON: {column: [message]}
  certificate_id INTEGER,            -- the one that is there already, or that was made
  PRIMARY KEY (preview_id, place)
) STRICT;
CREATE INDEX import_preview_rows_status ON import_preview_rows (preview_id, status, place);
