-- Fields that an organization defines itself, for certificates and for what they belong to or are installed on.

CREATE TABLE custom_field_choice_sets (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  description TEXT NOT NULL DEFAULT '',
  extra_choices TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(extra_choices)),
  order_alphabetically INTEGER NOT NULL DEFAULT 0 CHECK (order_alphabetically IN (0, 1)),
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL
) STRICT;

CREATE TABLE custom_fields (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  label TEXT NOT NULL DEFAULT '',
  group_name TEXT NOT NULL DEFAULT '',
  type TEXT NOT NULL DEFAULT 'text' CHECK (type IN ('text', 'longtext', 'integer', 'decimal', 'boolean', 'date',
    'datetime', 'url', 'json', 'select', 'multiselect', 'object')),
  object_types TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(object_types)),
  related_object_type TEXT,
  description TEXT NOT NULL DEFAULT '',
  required INTEGER NOT NULL DEFAULT 0 CHECK (required IN (0, 1)),
  indexed INTEGER NOT NULL DEFAULT 0 CHECK (indexed IN (0, 1)),
  filter_logic TEXT NOT NULL DEFAULT 'loose' CHECK (filter_logic IN ('disabled', 'loose', 'exact')),
  initial TEXT CHECK (json_valid(initial)),
  weight INTEGER NOT NULL DEFAULT 100,
  validation_minimum REAL,
  validation_maximum REAL,
  validation_regex TEXT NOT NULL DEFAULT '',
  choice_set_id INTEGER REFERENCES custom_field_choice_sets (id) ON DELETE RESTRICT,
  comments TEXT NOT NULL DEFAULT '',
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL
) STRICT;
CREATE INDEX custom_fields_choice_set ON custom_fields (choice_set_id);

-- Values by the name of their field. Fields marked as indexed have an index of each table's expression.
ALTER TABLE certificates ADD COLUMN custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields));
ALTER TABLE certificate_authorities ADD COLUMN custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields));
ALTER TABLE tenants ADD COLUMN custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields));
ALTER TABLE contacts ADD COLUMN custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields));
ALTER TABLE devices ADD COLUMN custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields));
ALTER TABLE virtual_machines ADD COLUMN custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields));
ALTER TABLE services ADD COLUMN custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields));

INSERT INTO sqlite_sequence (name, seq) VALUES ('custom_field_choice_sets', 0), ('custom_fields', 0);
