-- What NetBox's clients expect of hosts: where they are, what they are, and how tenants are grouped.

CREATE TABLE tenant_groups (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  slug TEXT NOT NULL UNIQUE,
  description TEXT NOT NULL DEFAULT '',
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL
) STRICT;

CREATE TABLE regions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  slug TEXT NOT NULL UNIQUE,
  description TEXT NOT NULL DEFAULT '',
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL
) STRICT;

CREATE TABLE site_groups (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  slug TEXT NOT NULL UNIQUE,
  description TEXT NOT NULL DEFAULT '',
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL
) STRICT;

CREATE TABLE sites (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  slug TEXT NOT NULL UNIQUE,
  status TEXT NOT NULL DEFAULT 'active',
  facility TEXT NOT NULL DEFAULT '',
  description TEXT NOT NULL DEFAULT '',
  region_id INTEGER REFERENCES regions (id) ON DELETE SET NULL,
  group_id INTEGER REFERENCES site_groups (id) ON DELETE SET NULL,
  tenant_id INTEGER REFERENCES tenants (id) ON DELETE RESTRICT,
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL
) STRICT;
CREATE INDEX sites_region ON sites (region_id);
CREATE INDEX sites_group ON sites (group_id);
CREATE INDEX sites_tenant ON sites (tenant_id);
CREATE INDEX sites_status ON sites (status);

CREATE TABLE locations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  slug TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE RESTRICT,
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL,
  UNIQUE (site_id, name),
  UNIQUE (site_id, slug)
) STRICT;
CREATE INDEX locations_name ON locations (name);

CREATE TABLE manufacturers (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  slug TEXT NOT NULL UNIQUE,
  description TEXT NOT NULL DEFAULT '',
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL
) STRICT;

CREATE TABLE device_types (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  manufacturer_id INTEGER NOT NULL REFERENCES manufacturers (id) ON DELETE RESTRICT,
  model TEXT NOT NULL,
  slug TEXT NOT NULL,
  part_number TEXT NOT NULL DEFAULT '',
  description TEXT NOT NULL DEFAULT '',
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL,
  UNIQUE (manufacturer_id, model),
  UNIQUE (manufacturer_id, slug)
) STRICT;
CREATE INDEX device_types_model ON device_types (model);
CREATE INDEX device_types_slug ON device_types (slug);

CREATE TABLE device_roles (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  slug TEXT NOT NULL UNIQUE,
  color TEXT NOT NULL DEFAULT '9e9e9e',
  vm_role INTEGER NOT NULL DEFAULT 1 CHECK (vm_role IN (0, 1)),
  description TEXT NOT NULL DEFAULT '',
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL
) STRICT;

CREATE TABLE platforms (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  slug TEXT NOT NULL UNIQUE,
  description TEXT NOT NULL DEFAULT '',
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL
) STRICT;

CREATE TABLE cluster_types (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  slug TEXT NOT NULL UNIQUE,
  description TEXT NOT NULL DEFAULT '',
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL
) STRICT;

CREATE TABLE clusters (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  type_id INTEGER NOT NULL REFERENCES cluster_types (id) ON DELETE RESTRICT,
  status TEXT NOT NULL DEFAULT 'active',
  description TEXT NOT NULL DEFAULT '',
  tenant_id INTEGER REFERENCES tenants (id) ON DELETE RESTRICT,
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL
) STRICT;
CREATE INDEX clusters_type ON clusters (type_id);
CREATE INDEX clusters_tenant ON clusters (tenant_id);
CREATE INDEX clusters_status ON clusters (status);

ALTER TABLE tenants ADD COLUMN group_id INTEGER REFERENCES tenant_groups (id) ON DELETE SET NULL;
CREATE INDEX tenants_group ON tenants (group_id);

ALTER TABLE devices ADD COLUMN status TEXT NOT NULL DEFAULT 'active';
ALTER TABLE devices ADD COLUMN role_id INTEGER REFERENCES device_roles (id) ON DELETE RESTRICT;
ALTER TABLE devices ADD COLUMN device_type_id INTEGER REFERENCES device_types (id) ON DELETE RESTRICT;
ALTER TABLE devices ADD COLUMN platform_id INTEGER REFERENCES platforms (id) ON DELETE SET NULL;
ALTER TABLE devices ADD COLUMN site_id INTEGER REFERENCES sites (id) ON DELETE RESTRICT;
ALTER TABLE devices ADD COLUMN location_id INTEGER REFERENCES locations (id) ON DELETE RESTRICT;
ALTER TABLE devices ADD COLUMN cluster_id INTEGER REFERENCES clusters (id) ON DELETE SET NULL;
ALTER TABLE devices ADD COLUMN serial TEXT NOT NULL DEFAULT '';
CREATE INDEX devices_status ON devices (status);
CREATE INDEX devices_role ON devices (role_id);
CREATE INDEX devices_type ON devices (device_type_id);
CREATE INDEX devices_platform ON devices (platform_id);
CREATE INDEX devices_site ON devices (site_id);
CREATE INDEX devices_location ON devices (location_id);
CREATE INDEX devices_cluster ON devices (cluster_id);

ALTER TABLE virtual_machines ADD COLUMN status TEXT NOT NULL DEFAULT 'active';
ALTER TABLE virtual_machines ADD COLUMN role_id INTEGER REFERENCES device_roles (id) ON DELETE RESTRICT;
ALTER TABLE virtual_machines ADD COLUMN platform_id INTEGER REFERENCES platforms (id) ON DELETE SET NULL;
ALTER TABLE virtual_machines ADD COLUMN site_id INTEGER REFERENCES sites (id) ON DELETE RESTRICT;
ALTER TABLE virtual_machines ADD COLUMN cluster_id INTEGER REFERENCES clusters (id) ON DELETE RESTRICT;
CREATE INDEX virtual_machines_status ON virtual_machines (status);
CREATE INDEX virtual_machines_role ON virtual_machines (role_id);
CREATE INDEX virtual_machines_platform ON virtual_machines (platform_id);
CREATE INDEX virtual_machines_site ON virtual_machines (site_id);
CREATE INDEX virtual_machines_cluster ON virtual_machines (cluster_id);

-- What the caller says about a change ("changelog_message").
ALTER TABLE object_changes ADD COLUMN message TEXT NOT NULL DEFAULT '';

-- Tags go with the object that carried them.
CREATE TRIGGER tenant_groups_delete AFTER DELETE ON tenant_groups BEGIN
  DELETE FROM tagged_items WHERE object_type = 'tenancy.tenantgroup' AND object_id = OLD.id;
END;

CREATE TRIGGER regions_delete AFTER DELETE ON regions BEGIN
  DELETE FROM tagged_items WHERE object_type = 'dcim.region' AND object_id = OLD.id;
END;

CREATE TRIGGER site_groups_delete AFTER DELETE ON site_groups BEGIN
  DELETE FROM tagged_items WHERE object_type = 'dcim.sitegroup' AND object_id = OLD.id;
END;

CREATE TRIGGER sites_delete AFTER DELETE ON sites BEGIN
  DELETE FROM tagged_items WHERE object_type = 'dcim.site' AND object_id = OLD.id;
END;

CREATE TRIGGER locations_delete AFTER DELETE ON locations BEGIN
  DELETE FROM tagged_items WHERE object_type = 'dcim.location' AND object_id = OLD.id;
END;

CREATE TRIGGER manufacturers_delete AFTER DELETE ON manufacturers BEGIN
  DELETE FROM tagged_items WHERE object_type = 'dcim.manufacturer' AND object_id = OLD.id;
END;

CREATE TRIGGER device_types_delete AFTER DELETE ON device_types BEGIN
  DELETE FROM tagged_items WHERE object_type = 'dcim.devicetype' AND object_id = OLD.id;
END;

CREATE TRIGGER device_roles_delete AFTER DELETE ON device_roles BEGIN
  DELETE FROM tagged_items WHERE object_type = 'dcim.devicerole' AND object_id = OLD.id;
END;

CREATE TRIGGER platforms_delete AFTER DELETE ON platforms BEGIN
  DELETE FROM tagged_items WHERE object_type = 'dcim.platform' AND object_id = OLD.id;
END;

CREATE TRIGGER cluster_types_delete AFTER DELETE ON cluster_types BEGIN
  DELETE FROM tagged_items WHERE object_type = 'virtualization.clustertype' AND object_id = OLD.id;
END;

CREATE TRIGGER clusters_delete AFTER DELETE ON clusters BEGIN
  DELETE FROM tagged_items WHERE object_type = 'virtualization.cluster' AND object_id = OLD.id;
END;

-- A sequence for every new table, so that ids can be set aside in one statement.
INSERT INTO sqlite_sequence (name, seq)
  SELECT name, 0 FROM sqlite_schema
  WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%' AND name NOT IN (SELECT name FROM sqlite_sequence);
