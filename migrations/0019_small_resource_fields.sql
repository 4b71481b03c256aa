-- Custom fields of the small resources, where NetBox has them, and comments.

ALTER TABLE tenant_groups ADD COLUMN comments TEXT NOT NULL DEFAULT '';
ALTER TABLE regions ADD COLUMN comments TEXT NOT NULL DEFAULT '';
ALTER TABLE site_groups ADD COLUMN comments TEXT NOT NULL DEFAULT '';
ALTER TABLE sites ADD COLUMN comments TEXT NOT NULL DEFAULT '';
ALTER TABLE locations ADD COLUMN comments TEXT NOT NULL DEFAULT '';
ALTER TABLE manufacturers ADD COLUMN comments TEXT NOT NULL DEFAULT '';
ALTER TABLE device_types ADD COLUMN comments TEXT NOT NULL DEFAULT '';
ALTER TABLE device_roles ADD COLUMN comments TEXT NOT NULL DEFAULT '';
ALTER TABLE platforms ADD COLUMN comments TEXT NOT NULL DEFAULT '';
ALTER TABLE cluster_types ADD COLUMN comments TEXT NOT NULL DEFAULT '';
ALTER TABLE clusters ADD COLUMN comments TEXT NOT NULL DEFAULT '';

ALTER TABLE tenant_groups ADD COLUMN custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields));
ALTER TABLE regions ADD COLUMN custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields));
ALTER TABLE site_groups ADD COLUMN custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields));
ALTER TABLE sites ADD COLUMN custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields));
ALTER TABLE locations ADD COLUMN custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields));
ALTER TABLE manufacturers ADD COLUMN custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields));
ALTER TABLE device_types ADD COLUMN custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields));
ALTER TABLE device_roles ADD COLUMN custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields));
ALTER TABLE platforms ADD COLUMN custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields));
ALTER TABLE cluster_types ADD COLUMN custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields));
ALTER TABLE clusters ADD COLUMN custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields));
ALTER TABLE contact_groups ADD COLUMN custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields));
ALTER TABLE contact_roles ADD COLUMN custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields));
