-- What NetBox's clients send: contacts in several groups, groups within groups, and unique custom fields.

CREATE TABLE contact_group_members (
  contact_id INTEGER NOT NULL REFERENCES contacts (id) ON DELETE CASCADE,
  contact_group_id INTEGER NOT NULL REFERENCES contact_groups (id) ON DELETE CASCADE,
  PRIMARY KEY (contact_id, contact_group_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX contact_group_members_group ON contact_group_members (contact_group_id);
INSERT INTO contact_group_members (contact_id, contact_group_id)
  SELECT id, group_id FROM contacts WHERE group_id IS NOT NULL;
DROP INDEX contacts_group;
ALTER TABLE contacts DROP COLUMN group_id;

ALTER TABLE tenant_groups ADD COLUMN parent_id INTEGER REFERENCES tenant_groups (id) ON DELETE CASCADE;
ALTER TABLE regions ADD COLUMN parent_id INTEGER REFERENCES regions (id) ON DELETE CASCADE;
ALTER TABLE site_groups ADD COLUMN parent_id INTEGER REFERENCES site_groups (id) ON DELETE CASCADE;
CREATE INDEX tenant_groups_parent ON tenant_groups (parent_id, name);
CREATE INDEX regions_parent ON regions (parent_id, name);
CREATE INDEX site_groups_parent ON site_groups (parent_id, name);

-- A unique field has a unique index of its values on each table.
ALTER TABLE custom_fields ADD COLUMN unique_values INTEGER NOT NULL DEFAULT 0 CHECK (unique_values IN (0, 1));
-- Whether pages show a field, and whether their forms change it.
ALTER TABLE custom_fields ADD COLUMN ui_visible TEXT NOT NULL DEFAULT 'always'
  CHECK (ui_visible IN ('always', 'if-set', 'hidden'));
ALTER TABLE custom_fields ADD COLUMN ui_editable TEXT NOT NULL DEFAULT 'yes'
  CHECK (ui_editable IN ('yes', 'no', 'hidden'));
