-- People and teams: who is responsible for a certificate, or for what it belongs to or is installed on.

CREATE TABLE contact_groups (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  slug TEXT NOT NULL UNIQUE,
  parent_id INTEGER REFERENCES contact_groups (id) ON DELETE CASCADE,
  description TEXT NOT NULL DEFAULT '',
  comments TEXT NOT NULL DEFAULT '',
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX contact_groups_name ON contact_groups (name, ifnull(parent_id, 0)); -- unique among siblings
CREATE INDEX contact_groups_parent ON contact_groups (parent_id);

CREATE TABLE contact_roles (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  slug TEXT NOT NULL UNIQUE,
  description TEXT NOT NULL DEFAULT '',
  comments TEXT NOT NULL DEFAULT '',
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL
) STRICT;

CREATE TABLE contacts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  group_id INTEGER REFERENCES contact_groups (id) ON DELETE SET NULL,
  title TEXT NOT NULL DEFAULT '',
  phone TEXT NOT NULL DEFAULT '',
  email TEXT NOT NULL DEFAULT '',
  address TEXT NOT NULL DEFAULT '',
  link TEXT NOT NULL DEFAULT '',
  description TEXT NOT NULL DEFAULT '',
  comments TEXT NOT NULL DEFAULT '',
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL
) STRICT;
CREATE INDEX contacts_name ON contacts (name);
CREATE INDEX contacts_email ON contacts (email COLLATE NOCASE);
CREATE INDEX contacts_group ON contacts (group_id);

CREATE TABLE contact_assignments (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  object_type TEXT NOT NULL,
  object_id INTEGER NOT NULL,
  contact_id INTEGER NOT NULL REFERENCES contacts (id) ON DELETE RESTRICT,
  role_id INTEGER REFERENCES contact_roles (id) ON DELETE RESTRICT,
  priority TEXT CHECK (priority IN ('primary', 'secondary', 'tertiary', 'inactive')),
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX contact_assignments_object
  ON contact_assignments (object_type, object_id, contact_id, ifnull(role_id, 0));
CREATE INDEX contact_assignments_contact ON contact_assignments (contact_id);
CREATE INDEX contact_assignments_role ON contact_assignments (role_id);

-- Contacts go with the object that they were assigned to, and tags with what carried them.
CREATE TRIGGER certificates_contacts AFTER DELETE ON certificates BEGIN
  DELETE FROM contact_assignments WHERE object_type = 'certmgr.certificate' AND object_id = OLD.id;
END;

CREATE TRIGGER certificate_authorities_contacts AFTER DELETE ON certificate_authorities BEGIN
  DELETE FROM contact_assignments WHERE object_type = 'certmgr.certificateauthority' AND object_id = OLD.id;
END;

CREATE TRIGGER tenants_contacts AFTER DELETE ON tenants BEGIN
  DELETE FROM contact_assignments WHERE object_type = 'tenancy.tenant' AND object_id = OLD.id;
END;

CREATE TRIGGER devices_contacts AFTER DELETE ON devices BEGIN
  DELETE FROM contact_assignments WHERE object_type = 'dcim.device' AND object_id = OLD.id;
END;

CREATE TRIGGER virtual_machines_contacts AFTER DELETE ON virtual_machines BEGIN
  DELETE FROM contact_assignments WHERE object_type = 'virtualization.virtualmachine' AND object_id = OLD.id;
END;

CREATE TRIGGER services_contacts AFTER DELETE ON services BEGIN
  DELETE FROM contact_assignments WHERE object_type = 'ipam.service' AND object_id = OLD.id;
END;

CREATE TRIGGER contacts_delete AFTER DELETE ON contacts BEGIN
  DELETE FROM tagged_items WHERE object_type = 'tenancy.contact' AND object_id = OLD.id;
END;

CREATE TRIGGER contact_groups_delete AFTER DELETE ON contact_groups BEGIN
  DELETE FROM tagged_items WHERE object_type = 'tenancy.contactgroup' AND object_id = OLD.id;
END;

CREATE TRIGGER contact_roles_delete AFTER DELETE ON contact_roles BEGIN
  DELETE FROM tagged_items WHERE object_type = 'tenancy.contactrole' AND object_id = OLD.id;
END;

CREATE TRIGGER contact_assignments_delete AFTER DELETE ON contact_assignments BEGIN
  DELETE FROM tagged_items WHERE object_type = 'tenancy.contactassignment' AND object_id = OLD.id;
END;

INSERT INTO sqlite_sequence (name, seq) VALUES
  ('contact_groups', 0), ('contact_roles', 0), ('contacts', 0), ('contact_assignments', 0);
