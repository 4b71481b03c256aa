-- Saved views of lists, private or shared, and how each user wants lists and times to be shown.

CREATE TABLE saved_views (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name TEXT NOT NULL CHECK (name <> ''),
  object_type TEXT NOT NULL CHECK (object_type <> ''),
  query TEXT NOT NULL DEFAULT '',
  shared INTEGER NOT NULL DEFAULT 0 CHECK (shared IN (0, 1)),
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL
) STRICT;
CREATE INDEX saved_views_user ON saved_views (user_id);
CREATE INDEX saved_views_object_type ON saved_views (object_type, name, id);

-- `lists` has the columns and the page size of lists by their names.
CREATE TABLE user_preferences (
  user_id INTEGER NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  time_zone TEXT NOT NULL DEFAULT '',
  lists TEXT NOT NULL DEFAULT '{}' CHECK (json_type(lists) = 'object')
) STRICT;

INSERT INTO sqlite_sequence (name, seq) VALUES ('saved_views', 0);
