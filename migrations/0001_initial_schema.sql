-- The whole database.
--
-- A statement ends with a semicolon at the end of a line; a trigger ends with a line that says END;
-- Ids are never used twice (AUTOINCREMENT). Times are milliseconds since the epoch, booleans 0 and 1,
-- lists and objects JSON text. Every index ends with the rowid, so that ORDER BY <column>, id needs no sort.

-- Accounts -----------------------------------------------------------------------------------------------

CREATE TABLE users (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  username TEXT NOT NULL COLLATE NOCASE UNIQUE,
  password_hash TEXT,
  first_name TEXT NOT NULL DEFAULT '',
  last_name TEXT NOT NULL DEFAULT '',
  email TEXT NOT NULL DEFAULT '',
  is_active INTEGER NOT NULL DEFAULT 1 CHECK (is_active IN (0, 1)),
  is_superuser INTEGER NOT NULL DEFAULT 0 CHECK (is_superuser IN (0, 1)),
  last_login INTEGER,
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL,
  -- Kept by the changes of passkeys and apps, so that sign-in and lists need no other table.
  has_second_factor INTEGER NOT NULL DEFAULT 0 CHECK (has_second_factor IN (0, 1))
) STRICT;
CREATE INDEX users_has_second_factor ON users (has_second_factor, username, id);

CREATE TABLE groups (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  description TEXT NOT NULL DEFAULT '',
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL
) STRICT;

CREATE TABLE user_groups (
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  group_id INTEGER NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
  PRIMARY KEY (user_id, group_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX user_groups_group ON user_groups (group_id);

CREATE TABLE tokens (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  key_hash TEXT NOT NULL UNIQUE,
  key_prefix TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  enabled INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
  write_enabled INTEGER NOT NULL DEFAULT 1 CHECK (write_enabled IN (0, 1)),
  expires INTEGER,
  allowed_ips TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(allowed_ips)),
  last_used INTEGER,
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL
) STRICT;
CREATE INDEX tokens_user ON tokens (user_id);

CREATE TABLE object_permissions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  enabled INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
  object_types TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(object_types)),
  actions TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(actions)),
  constraints TEXT CHECK (json_valid(constraints)),
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL
) STRICT;

CREATE TABLE object_permission_users (
  object_permission_id INTEGER NOT NULL REFERENCES object_permissions (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  PRIMARY KEY (object_permission_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX object_permission_users_user ON object_permission_users (user_id);

CREATE TABLE object_permission_groups (
  object_permission_id INTEGER NOT NULL REFERENCES object_permissions (id) ON DELETE CASCADE,
  group_id INTEGER NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
  PRIMARY KEY (object_permission_id, group_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX object_permission_groups_group ON object_permission_groups (group_id);

CREATE TABLE sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  secret_hash TEXT NOT NULL UNIQUE,
  csrf TEXT NOT NULL,
  created INTEGER NOT NULL,
  expires INTEGER NOT NULL,
  last_seen INTEGER NOT NULL,
  address TEXT NOT NULL DEFAULT '',
  user_agent TEXT NOT NULL DEFAULT '',
  -- Whether a session began here. Others need no second factor: the provider or proxy decides.
  is_local INTEGER NOT NULL DEFAULT 1 CHECK (is_local IN (0, 1))
) STRICT;
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expires ON sessions (expires); -- sweeping out the old ones

-- Accounts of users at OpenID Connect providers.
CREATE TABLE user_identities (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  -- Ids of the groups that the provider gave the user; others were given here, and stay.
  groups TEXT NOT NULL DEFAULT '[]' CHECK (json_type(groups) = 'array'),
  -- Whether the provider made the user a superuser, or deactivated the user.
  made_superuser INTEGER NOT NULL DEFAULT 0 CHECK (made_superuser IN (0, 1)),
  deactivated INTEGER NOT NULL DEFAULT 0 CHECK (deactivated IN (0, 1)),
  created INTEGER NOT NULL,
  last_sign_in INTEGER NOT NULL,
  UNIQUE (issuer, subject)
) STRICT;
CREATE INDEX user_identities_user ON user_identities (user_id);

CREATE TABLE passkeys (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name TEXT NOT NULL CHECK (name <> ''),
  credential_id TEXT NOT NULL UNIQUE CHECK (credential_id <> ''),
  public_key TEXT NOT NULL,
  sign_count INTEGER NOT NULL,
  transports TEXT NOT NULL DEFAULT '[]' CHECK (json_type(transports) = 'array'),
  rp_id TEXT NOT NULL,
  created INTEGER NOT NULL,
  last_used INTEGER
) STRICT;
CREATE INDEX passkeys_user ON passkeys (user_id);

CREATE TABLE authenticator_apps (
  user_id INTEGER NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  secret TEXT NOT NULL CHECK (secret <> ''),
  last_step INTEGER NOT NULL,
  created INTEGER NOT NULL
) STRICT;

CREATE TABLE recovery_codes (
  hash TEXT NOT NULL PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX recovery_codes_user ON recovery_codes (user_id);

-- Wrong codes at sign-in, across processes and restarts.
CREATE TABLE code_failures (
  user_id INTEGER NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  count INTEGER NOT NULL,
  until INTEGER NOT NULL
) STRICT;

-- `lists` has the columns and the page size of lists by their names.
CREATE TABLE user_preferences (
  user_id INTEGER NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  time_zone TEXT NOT NULL DEFAULT '',
  row_height INTEGER NOT NULL DEFAULT 40 CHECK (row_height IN (32, 40)),
  lists TEXT NOT NULL DEFAULT '{}' CHECK (json_type(lists) = 'object')
) STRICT;

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

-- Sign-ins, failures and changes of credentials. No foreign key: the log outlives its users.
CREATE TABLE audit_events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  time INTEGER NOT NULL,
  event TEXT NOT NULL CHECK (event <> ''),
  user_id INTEGER,
  username TEXT NOT NULL DEFAULT '',
  address TEXT NOT NULL DEFAULT '',
  user_agent TEXT NOT NULL DEFAULT '',
  detail TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX audit_events_time ON audit_events (time);
CREATE INDEX audit_events_event ON audit_events (event, id);
CREATE INDEX audit_events_username ON audit_events (username, id);
CREATE INDEX audit_events_address ON audit_events (address, id);

CREATE TRIGGER audit_events_update BEFORE UPDATE ON audit_events BEGIN
  SELECT RAISE(ABORT, 'the audit log is append-only');
END;

-- What certificates refer to -----------------------------------------------------------------------------

CREATE TABLE tenant_groups (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  slug TEXT NOT NULL UNIQUE,
  description TEXT NOT NULL DEFAULT '',
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL,
  comments TEXT NOT NULL DEFAULT '',
  custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields)),
  parent_id INTEGER REFERENCES tenant_groups (id) ON DELETE CASCADE
) STRICT;
CREATE INDEX tenant_groups_parent ON tenant_groups (parent_id, name);

CREATE TABLE tenants (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  slug TEXT NOT NULL UNIQUE,
  description TEXT NOT NULL DEFAULT '',
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL,
  -- Thresholds (`["30d", "33%"]`); NULL inherits: a certificate its tenant's, a tenant the service's.
  expiry_notices TEXT CHECK (json_type(expiry_notices) = 'array'),
  group_id INTEGER REFERENCES tenant_groups (id) ON DELETE SET NULL,
  comments TEXT NOT NULL DEFAULT '',
  custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields))
) STRICT;
CREATE INDEX tenants_group ON tenants (group_id);

CREATE TABLE tags (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  slug TEXT NOT NULL UNIQUE,
  color TEXT NOT NULL DEFAULT '9e9e9e',
  description TEXT NOT NULL DEFAULT '',
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL
) STRICT;

CREATE TABLE tagged_items (
  object_type TEXT NOT NULL,
  object_id INTEGER NOT NULL,
  tag_id INTEGER NOT NULL REFERENCES tags (id) ON DELETE CASCADE,
  PRIMARY KEY (object_type, object_id, tag_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX tagged_items_tag ON tagged_items (tag_id, object_type, object_id); -- filter by tag

CREATE TABLE regions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  slug TEXT NOT NULL UNIQUE,
  description TEXT NOT NULL DEFAULT '',
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL,
  comments TEXT NOT NULL DEFAULT '',
  custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields)),
  parent_id INTEGER REFERENCES regions (id) ON DELETE CASCADE
) STRICT;
CREATE INDEX regions_parent ON regions (parent_id, name);

CREATE TABLE site_groups (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  slug TEXT NOT NULL UNIQUE,
  description TEXT NOT NULL DEFAULT '',
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL,
  comments TEXT NOT NULL DEFAULT '',
  custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields)),
  parent_id INTEGER REFERENCES site_groups (id) ON DELETE CASCADE
) STRICT;
CREATE INDEX site_groups_parent ON site_groups (parent_id, name);

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
  last_updated INTEGER NOT NULL,
  comments TEXT NOT NULL DEFAULT '',
  custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields))
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
  comments TEXT NOT NULL DEFAULT '',
  custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields)),
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
  last_updated INTEGER NOT NULL,
  comments TEXT NOT NULL DEFAULT '',
  custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields))
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
  comments TEXT NOT NULL DEFAULT '',
  custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields)),
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
  last_updated INTEGER NOT NULL,
  comments TEXT NOT NULL DEFAULT '',
  custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields))
) STRICT;

CREATE TABLE platforms (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  slug TEXT NOT NULL UNIQUE,
  description TEXT NOT NULL DEFAULT '',
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL,
  comments TEXT NOT NULL DEFAULT '',
  custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields))
) STRICT;

CREATE TABLE cluster_types (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  slug TEXT NOT NULL UNIQUE,
  description TEXT NOT NULL DEFAULT '',
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL,
  comments TEXT NOT NULL DEFAULT '',
  custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields))
) STRICT;

CREATE TABLE clusters (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  type_id INTEGER NOT NULL REFERENCES cluster_types (id) ON DELETE RESTRICT,
  status TEXT NOT NULL DEFAULT 'active',
  description TEXT NOT NULL DEFAULT '',
  tenant_id INTEGER REFERENCES tenants (id) ON DELETE RESTRICT,
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL,
  comments TEXT NOT NULL DEFAULT '',
  custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields))
) STRICT;
CREATE INDEX clusters_type ON clusters (type_id);
CREATE INDEX clusters_tenant ON clusters (tenant_id);
CREATE INDEX clusters_status ON clusters (status);

CREATE TABLE devices (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  tenant_id INTEGER REFERENCES tenants (id) ON DELETE RESTRICT,
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL,
  status TEXT NOT NULL DEFAULT 'active',
  role_id INTEGER REFERENCES device_roles (id) ON DELETE RESTRICT,
  device_type_id INTEGER REFERENCES device_types (id) ON DELETE RESTRICT,
  platform_id INTEGER REFERENCES platforms (id) ON DELETE SET NULL,
  site_id INTEGER REFERENCES sites (id) ON DELETE RESTRICT,
  location_id INTEGER REFERENCES locations (id) ON DELETE RESTRICT,
  cluster_id INTEGER REFERENCES clusters (id) ON DELETE SET NULL,
  serial TEXT NOT NULL DEFAULT '',
  comments TEXT NOT NULL DEFAULT '',
  custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields))
) STRICT;
CREATE UNIQUE INDEX devices_name ON devices (name, ifnull(tenant_id, 0)); -- no tenant is one place, too
CREATE INDEX devices_tenant ON devices (tenant_id);
CREATE INDEX devices_status ON devices (status);
CREATE INDEX devices_role ON devices (role_id);
CREATE INDEX devices_type ON devices (device_type_id);
CREATE INDEX devices_platform ON devices (platform_id);
CREATE INDEX devices_site ON devices (site_id);
CREATE INDEX devices_location ON devices (location_id);
CREATE INDEX devices_cluster ON devices (cluster_id);

CREATE TABLE virtual_machines (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  tenant_id INTEGER REFERENCES tenants (id) ON DELETE RESTRICT,
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL,
  status TEXT NOT NULL DEFAULT 'active',
  role_id INTEGER REFERENCES device_roles (id) ON DELETE RESTRICT,
  platform_id INTEGER REFERENCES platforms (id) ON DELETE SET NULL,
  site_id INTEGER REFERENCES sites (id) ON DELETE RESTRICT,
  cluster_id INTEGER REFERENCES clusters (id) ON DELETE RESTRICT,
  comments TEXT NOT NULL DEFAULT '',
  custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields))
) STRICT;
CREATE UNIQUE INDEX virtual_machines_name ON virtual_machines (name, ifnull(tenant_id, 0));
CREATE INDEX virtual_machines_tenant ON virtual_machines (tenant_id);
CREATE INDEX virtual_machines_status ON virtual_machines (status);
CREATE INDEX virtual_machines_role ON virtual_machines (role_id);
CREATE INDEX virtual_machines_platform ON virtual_machines (platform_id);
CREATE INDEX virtual_machines_site ON virtual_machines (site_id);
CREATE INDEX virtual_machines_cluster ON virtual_machines (cluster_id);

CREATE TABLE services (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  protocol TEXT NOT NULL DEFAULT 'tcp' CHECK (protocol IN ('tcp', 'udp', 'sctp')),
  ports TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(ports)),
  description TEXT NOT NULL DEFAULT '',
  parent_object_type TEXT,
  parent_object_id INTEGER,
  tenant_id INTEGER REFERENCES tenants (id) ON DELETE RESTRICT,
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL,
  comments TEXT NOT NULL DEFAULT '',
  custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields)),
  CHECK ((parent_object_type IS NULL) = (parent_object_id IS NULL))
) STRICT;
CREATE INDEX services_name ON services (name);
CREATE INDEX services_parent ON services (parent_object_type, parent_object_id);
CREATE INDEX services_tenant ON services (tenant_id);

-- People and teams: who is responsible for a certificate, or for what it belongs to or is installed on ---

CREATE TABLE contact_groups (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  slug TEXT NOT NULL UNIQUE,
  parent_id INTEGER REFERENCES contact_groups (id) ON DELETE CASCADE,
  description TEXT NOT NULL DEFAULT '',
  comments TEXT NOT NULL DEFAULT '',
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL,
  custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields))
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
  last_updated INTEGER NOT NULL,
  custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields))
) STRICT;

CREATE TABLE contacts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  title TEXT NOT NULL DEFAULT '',
  phone TEXT NOT NULL DEFAULT '',
  email TEXT NOT NULL DEFAULT '',
  address TEXT NOT NULL DEFAULT '',
  link TEXT NOT NULL DEFAULT '',
  description TEXT NOT NULL DEFAULT '',
  comments TEXT NOT NULL DEFAULT '',
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL,
  custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields))
) STRICT;
CREATE INDEX contacts_name ON contacts (name);
CREATE INDEX contacts_email ON contacts (email COLLATE NOCASE);

CREATE TABLE contact_group_members (
  contact_id INTEGER NOT NULL REFERENCES contacts (id) ON DELETE CASCADE,
  contact_group_id INTEGER NOT NULL REFERENCES contact_groups (id) ON DELETE CASCADE,
  PRIMARY KEY (contact_id, contact_group_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX contact_group_members_group ON contact_group_members (contact_group_id);

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

-- Fields that an organization defines itself -------------------------------------------------------------

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
  last_updated INTEGER NOT NULL,
  -- A unique field has a unique index of its values on each table.
  unique_values INTEGER NOT NULL DEFAULT 0 CHECK (unique_values IN (0, 1)),
  -- Whether pages show a field, and whether their forms change it.
  ui_visible TEXT NOT NULL DEFAULT 'always'
    CHECK (ui_visible IN ('always', 'if-set', 'hidden')),
  ui_editable TEXT NOT NULL DEFAULT 'yes'
    CHECK (ui_editable IN ('yes', 'no', 'hidden'))
) STRICT;
CREATE INDEX custom_fields_choice_set ON custom_fields (choice_set_id);

-- Certificates -------------------------------------------------------------------------------------------

CREATE TABLE certificate_authorities (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL DEFAULT 'public' CHECK (type IN ('public', 'internal', 'acme')),
  description TEXT NOT NULL DEFAULT '',
  issuer_pattern TEXT NOT NULL DEFAULT '',
  website_url TEXT NOT NULL DEFAULT '',
  portal_url TEXT NOT NULL DEFAULT '',
  contact_email TEXT NOT NULL DEFAULT '',
  is_approved INTEGER NOT NULL DEFAULT 0 CHECK (is_approved IN (0, 1)),
  pem_content TEXT NOT NULL DEFAULT '',
  subject_key_id TEXT,
  subject TEXT,
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL,
  instructions TEXT NOT NULL DEFAULT '',
  renewal_note TEXT NOT NULL DEFAULT '',
  comments TEXT NOT NULL DEFAULT '',
  custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields)),
  valid_to INTEGER,
  -- Where its revocation lists are, for certificates that name none.
  crl_urls TEXT NOT NULL DEFAULT '[]' CHECK (json_type(crl_urls) = 'array'),
  -- Its ACME directory, where it says when certificates should be renewed.
  acme_directory_url TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX certificate_authorities_subject_key ON certificate_authorities (subject_key_id)
  WHERE subject_key_id IS NOT NULL; -- who issued this?

-- Columns that lists filter by come first; sans, which may be long, comes last and so never pushes them to
-- overflow pages.
CREATE TABLE certificates (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  common_name TEXT NOT NULL,
  serial_number TEXT NOT NULL,
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL DEFAULT '',
  valid_from INTEGER NOT NULL,
  valid_to INTEGER NOT NULL,
  fingerprint_sha256 TEXT NOT NULL,
  algorithm TEXT NOT NULL CHECK (algorithm IN ('rsa', 'ecdsa', 'ed25519', 'unknown')),
  key_size INTEGER,
  status TEXT NOT NULL DEFAULT 'active'
    CHECK (status IN ('active', 'expired', 'replaced', 'revoked', 'pending')),
  tenant_id INTEGER REFERENCES tenants (id) ON DELETE RESTRICT,
  private_key_location TEXT NOT NULL DEFAULT '',
  issuing_ca_id INTEGER REFERENCES certificate_authorities (id) ON DELETE SET NULL,
  is_acme INTEGER NOT NULL DEFAULT 0 CHECK (is_acme IN (0, 1)),
  acme_provider TEXT NOT NULL DEFAULT '',
  acme_auto_renewal INTEGER NOT NULL DEFAULT 0 CHECK (acme_auto_renewal IN (0, 1)),
  replaced_by_id INTEGER REFERENCES certificates (id) ON DELETE SET NULL,
  authority_key_id TEXT,
  spki_sha256 TEXT,
  has_pem INTEGER NOT NULL DEFAULT 0 CHECK (has_pem IN (0, 1)),
  pem_matches INTEGER CHECK (pem_matches IN (0, 1)),
  chain_status TEXT CHECK (chain_status IN ('valid', 'self_signed', 'no_chain', 'incomplete',
    'invalid_signature', 'expired', 'not_yet_valid', 'parse_error')),
  chain_is_valid INTEGER CHECK (chain_is_valid IN (0, 1)),
  chain_depth INTEGER,
  chain_validation_message TEXT NOT NULL DEFAULT '',
  chain_validated_at INTEGER,
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL,
  -- Escapes of null characters and of surrogates would become texts that cannot be read back. Pairs of backslashes
  -- go first, so that a backslash that is left begins an escape.
  sans TEXT NOT NULL DEFAULT '[]' CHECK (json_type(sans) = 'array' AND (
    instr(sans, '\u') = 0 OR (
      replace(sans, '\\', '') NOT GLOB '*\u0000*' AND replace(sans, '\\', '') NOT GLOB '*\u[dD][89a-fA-F]*'
    )
  )),
  expiry_notices TEXT CHECK (json_type(expiry_notices) = 'array'),
  -- The status that the expiry sweep took from a certificate, which gets it back where a wrong clock had ended it.
  -- NULL where a person said `expired`, and where the status is another one.
  expired_from TEXT CHECK (expired_from IN ('active', 'pending')),
  -- Where a certificate was found that nobody entered (`endpoint www.example.com:443`, `agent dmz: /etc/ssl/a.pem`), or
  -- `list` if it is known from a list only.
  discovered_via TEXT NOT NULL DEFAULT '',
  -- Findings about the stored PEM of a certificate, so that readable but malformed certificates can be found.
  -- A JSON list of {code, message, section}.
  findings TEXT NOT NULL DEFAULT '[]' CHECK (json_type(findings) = 'array'),
  description TEXT NOT NULL DEFAULT '',
  comments TEXT NOT NULL DEFAULT '',
  renewal_note TEXT NOT NULL DEFAULT '',
  archived INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0, 1)),
  pinned INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1)),
  -- Values by the name of their field. Fields marked as indexed have an index of each table's expression.
  custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields)),
  -- Why `replaced_by_id` replaced it; empty without one.
  replacement_reason TEXT NOT NULL DEFAULT ''
    CHECK (replacement_reason IN ('', 'renewal', 'reissue', 'key_compromise', 'ca_incident', 'other')),
  -- Lower case, without colons and leading zeros; `0` for zero. NULL if unknown, as the fingerprint.
  serial_hex TEXT AS (iif(serial_number = '', NULL,
    coalesce(nullif(ltrim(lower(replace(serial_number, ':', '')), '0'), ''), '0'))) VIRTUAL,
  fingerprint_hex TEXT AS (nullif(lower(replace(fingerprint_sha256, ':', '')), '')) VIRTUAL,
  lifetime_days INTEGER AS ((valid_to - valid_from + 43200000) / 86400000) VIRTUAL,
  -- What the PEM says a certificate is for, a JSON list of words; empty without PEM.
  usages TEXT NOT NULL DEFAULT '[]' CHECK (json_type(usages) = 'array'),
  -- Number of signed certificate timestamps in the PEM.
  scts INTEGER NOT NULL DEFAULT 0,
  kind TEXT NOT NULL DEFAULT 'server' CHECK (kind IN ('server', 'client', 'ca', 'other')),
  key_algorithm TEXT NOT NULL DEFAULT '',
  signature_algorithm TEXT NOT NULL DEFAULT '',
  -- Whether the service found issuing_ca_id, and so may find a nearer authority.
  issuing_ca_found INTEGER NOT NULL DEFAULT 0 CHECK (issuing_ca_found IN (0, 1)),
  -- The endpoint in `discovered_via`. Not a foreign key: it is only compared with what a reader may view.
  discovered_at_id INTEGER,
  -- Codes of the failures on its path, a JSON list, leaf first.
  chain_errors TEXT NOT NULL DEFAULT '[]' CHECK (json_type(chain_errors) = 'array'),
  -- Whether the chain ends in a public root that is not distrusted; NULL before its validation.
  publicly_trusted INTEGER CHECK (publicly_trusted IN (0, 1)),
  revocation_status TEXT NOT NULL DEFAULT 'not_checked' CHECK (revocation_status IN ('not_checked', 'good',
    'revoked', 'unknown', 'not_needed', 'unavailable')),
  revoked_at INTEGER,
  revocation_reason TEXT NOT NULL DEFAULT '',
  revocation_checked_at INTEGER,
  -- When it is checked next; NULL: not until its status changes.
  revocation_due INTEGER DEFAULT 0,
  -- The status that a revocation replaced, which it gets back when it is not revoked any more; NULL after a user changed it.
  revoked_from TEXT CHECK (revoked_from IN ('active', 'pending', 'expired')),
  -- Since when its status is `unavailable`.
  revocation_unanswered INTEGER,
  -- When its authority suggests that it is renewed.
  renewal_window_start INTEGER,
  renewal_window_end INTEGER,
  renewal_explanation_url TEXT NOT NULL DEFAULT '',
  renewal_info_checked_at INTEGER,
  -- When its authority is asked next; NULL: not until its status or its authority changes.
  renewal_info_due INTEGER DEFAULT 0,
  -- What a user said about its renewals; `unknown`: nothing.
  automation_given TEXT NOT NULL DEFAULT 'unknown'
    CHECK (automation_given IN ('acme', 'agent', 'est_scep', 'cloud', 'manual', 'unknown')),
  -- Whether the last three renewals before it are in unattended_renewals.
  renewed_unattended INTEGER NOT NULL DEFAULT 0 CHECK (renewed_unattended IN (0, 1)),
  -- How it is renewed: as a user said, else by the flag, else by the ACME client in whose folder an agent found it, else
  -- as its renewals look.
  automation TEXT NOT NULL AS (CASE
    WHEN automation_given <> 'unknown' THEN automation_given
    WHEN acme_auto_renewal = 1 THEN 'acme'
    WHEN discovered_via GLOB 'agent:* */letsencrypt/live/*' OR discovered_via GLOB 'agent:* */.acme.sh/*'
      OR discovered_via GLOB 'agent:* */.lego/certificates/*' OR discovered_via GLOB 'agent:* */caddy/certificates/*'
      THEN 'acme'
    WHEN renewed_unattended = 1 THEN iif(is_acme = 1, 'acme', 'agent')
    ELSE 'unknown'
  END) STORED
) STRICT;
CREATE INDEX certificates_automation ON certificates (automation);
CREATE INDEX certificates_unanswered ON certificates (revocation_unanswered) WHERE revocation_unanswered IS NOT NULL;
CREATE INDEX certificates_renewal_info_due ON certificates (renewal_info_due) WHERE renewal_info_due IS NOT NULL;
CREATE INDEX certificates_renewal_window ON certificates (renewal_window_start) WHERE renewal_window_start IS NOT NULL;
CREATE INDEX certificates_revocation_due ON certificates (revocation_due) WHERE revocation_due IS NOT NULL;
-- Hardly any other status is searched for.
CREATE INDEX certificates_revocation_status ON certificates (revocation_status, revoked_at)
  WHERE revocation_status IN ('revoked', 'unknown', 'unavailable');
CREATE INDEX certificates_id ON certificates (id); -- counting all, and deep pages: 10 MB instead of 600 a million
CREATE INDEX certificates_common_name ON certificates (common_name); -- ordering, exact match, startswith
CREATE INDEX certificates_common_name_nocase ON certificates (common_name COLLATE NOCASE); -- iexact, istartswith
CREATE INDEX certificates_listed ON certificates (common_name COLLATE NOCASE, valid_to) WHERE discovered_via = 'list';
CREATE INDEX certificates_issuer ON certificates (issuer); -- ordering, the distinct issuers
CREATE INDEX certificates_issuer_nocase ON certificates (issuer COLLATE NOCASE); -- iexact, istartswith
CREATE INDEX certificates_valid_from ON certificates (valid_from);
CREATE INDEX certificates_valid_to ON certificates (valid_to);
CREATE INDEX certificates_status ON certificates (status); -- a status in id order
CREATE INDEX certificates_status_common_name ON certificates (status, common_name);
CREATE INDEX certificates_tenant_status ON certificates (tenant_id, status); -- also a tenant alone, restricted lists
CREATE INDEX certificates_tenant_valid_to ON certificates (tenant_id, valid_to);
CREATE INDEX certificates_tenant_common_name ON certificates (tenant_id, common_name);
CREATE INDEX certificates_issuing_ca ON certificates (issuing_ca_id); -- also has_issuing_ca, certificate_count
CREATE INDEX certificates_algorithm ON certificates (algorithm);
CREATE INDEX certificates_key_size ON certificates (key_size);
CREATE INDEX certificates_is_acme ON certificates (is_acme) WHERE is_acme = 1;
CREATE INDEX certificates_acme_provider ON certificates (acme_provider);
CREATE INDEX certificates_acme_auto_renewal ON certificates (acme_auto_renewal) WHERE acme_auto_renewal = 1;
CREATE INDEX certificates_chain_status ON certificates (chain_status);
CREATE INDEX certificates_pem_matches ON certificates (pem_matches) WHERE pem_matches = 0;
CREATE INDEX certificates_created ON certificates (created);
CREATE INDEX certificates_last_updated ON certificates (last_updated);
CREATE INDEX certificates_replaced_by ON certificates (replaced_by_id) WHERE replaced_by_id IS NOT NULL;
-- Stored issuers of a name, the ones that end last first; and the names of those below them.
CREATE INDEX certificates_authorities ON certificates (subject COLLATE NOCASE, valid_to DESC, issuer)
  WHERE kind = 'ca' AND has_pem = 1;
-- Those whose issuer has been stored since their chain was validated.
CREATE INDEX certificates_awaiting_chain ON certificates (id)
  WHERE chain_validated_at IS NULL AND chain_status IS NOT NULL;
-- What may still be announced, in the order in which it ends, with all that decides whether it is due.
CREATE INDEX certificates_awaiting_expiry ON certificates (valid_to, id, valid_from, tenant_id, expiry_notices)
  WHERE replaced_by_id IS NULL AND status IN ('active', 'pending');
-- Those that may have to be restored, by their end.
CREATE INDEX certificates_swept ON certificates (valid_to) WHERE expired_from IS NOT NULL;
CREATE INDEX certificates_discovered_via ON certificates (discovered_via) WHERE discovered_via <> '';
CREATE INDEX certificates_archived ON certificates (archived) WHERE archived = 1;
-- Hardly any certificate has thresholds of its own.
CREATE INDEX certificates_expiry_notices ON certificates (expiry_notices) WHERE expiry_notices IS NOT NULL;
-- A quarter of a hash distinguishes keys as well as all of it, and takes a third of the space.
CREATE INDEX certificates_spki ON certificates (substr(spki_sha256, 1, 16)) WHERE spki_sha256 IS NOT NULL;
-- What expires next, the expiry sweep; and the numbers of the overview, from this index alone.
CREATE INDEX certificates_status_valid_to ON certificates (
  status, valid_to, tenant_id, issuing_ca_id, algorithm, key_size
);
-- What makes a duplicate. Not unique, because certificates that were found and not accepted do not count.
CREATE INDEX certificates_serial_issuer ON certificates (serial_hex, issuer);
CREATE INDEX certificates_fingerprint ON certificates (fingerprint_hex);

-- Certificates in each run of 1,024 ids: deep pages and whole counts without walking all rows.
CREATE TABLE certificate_blocks (
  block INTEGER PRIMARY KEY, -- id >> 10
  n INTEGER NOT NULL
) STRICT;

-- Archived and not pinned: the certificates that lists leave out. A table of its own, so that a list or a count that
-- an index of certificates answers need not read their rows.
CREATE TABLE archived_certificates (
  certificate_id INTEGER PRIMARY KEY REFERENCES certificates (id) ON DELETE CASCADE
) STRICT;

-- One row for each code of a certificate; written by triggers, never by code.
CREATE TABLE certificate_findings (
  code TEXT NOT NULL,
  certificate_id INTEGER NOT NULL REFERENCES certificates (id) ON DELETE CASCADE,
  PRIMARY KEY (code, certificate_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX certificate_findings_certificate ON certificate_findings (certificate_id);

-- The PEM of a certificate, apart from its row, so that lists and scans do not read it.
CREATE TABLE certificate_texts (
  certificate_id INTEGER PRIMARY KEY REFERENCES certificates (id) ON DELETE CASCADE,
  pem_content TEXT NOT NULL DEFAULT '',
  -- Instead of a PEM text that is exactly this DER, which is a quarter smaller.
  der BLOB
) STRICT;

-- Chains are stored once: most certificates have one of a few.
CREATE TABLE issuer_chains (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  sha256 TEXT NOT NULL UNIQUE,
  content TEXT NOT NULL
) STRICT;

CREATE TABLE certificate_issuer_chains (
  certificate_id INTEGER NOT NULL PRIMARY KEY REFERENCES certificates (id) ON DELETE CASCADE,
  chain_id INTEGER NOT NULL REFERENCES issuer_chains (id) ON DELETE RESTRICT
) STRICT;
CREATE INDEX certificate_issuer_chains_chain ON certificate_issuer_chains (chain_id);

-- The names of a certificate, which triggers derive from certificates.sans. Ordered by name, so that no index is
-- needed; no foreign key, which would need an index by certificate.
CREATE TABLE certificate_sans (
  certificate_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (value COLLATE NOCASE, certificate_id, position)
) STRICT, WITHOUT ROWID;

-- Contains-search over names. Trigram postings only (contentless), rowid = certificates.id; sans are the values
-- joined by newlines. It records the columns in which three letters occur, not the places, because searches compare
-- the texts themselves anyway.
CREATE VIRTUAL TABLE certificate_search USING fts5(
  common_name, issuer, sans,
  content = '', contentless_delete = 1, tokenize = 'trigram', detail = column
);

-- Those that are not in the index yet: the ones with larger ids. Searches compare each of them.
CREATE VIEW unindexed_certificates AS SELECT id, common_name, issuer, sans FROM certificates
WHERE id > (SELECT coalesce(max(id), 0) FROM certificate_search_docsize);

CREATE TABLE certificate_assignments (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  certificate_id INTEGER NOT NULL REFERENCES certificates (id) ON DELETE CASCADE,
  assigned_object_type TEXT NOT NULL,
  assigned_object_id INTEGER NOT NULL,
  is_primary INTEGER NOT NULL DEFAULT 0 CHECK (is_primary IN (0, 1)),
  notes TEXT NOT NULL DEFAULT '',
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL,
  -- Whether the service made it, because an endpoint of the object serves the certificate.
  automatic INTEGER NOT NULL DEFAULT 0 CHECK (automatic IN (0, 1)),
  UNIQUE (certificate_id, assigned_object_type, assigned_object_id)
) STRICT;
CREATE INDEX certificate_assignments_target
  ON certificate_assignments (assigned_object_type, assigned_object_id);

CREATE TABLE certificate_signing_requests (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  common_name TEXT NOT NULL,
  organization TEXT NOT NULL DEFAULT '',
  organizational_unit TEXT NOT NULL DEFAULT '',
  locality TEXT NOT NULL DEFAULT '',
  state TEXT NOT NULL DEFAULT '',
  country TEXT NOT NULL DEFAULT '',
  sans TEXT NOT NULL DEFAULT '[]' CHECK (json_type(sans) = 'array'),
  fingerprint_sha256 TEXT NOT NULL DEFAULT '',
  fingerprint_hex TEXT UNIQUE,
  algorithm TEXT NOT NULL DEFAULT 'unknown' CHECK (algorithm IN ('rsa', 'ecdsa', 'ed25519', 'unknown')),
  key_size INTEGER,
  status TEXT NOT NULL DEFAULT 'pending'
    CHECK (status IN ('pending', 'approved', 'rejected', 'issued', 'expired')),
  requested_date INTEGER,
  requested_by TEXT NOT NULL DEFAULT '',
  target_ca TEXT NOT NULL DEFAULT '',
  notes TEXT NOT NULL DEFAULT '',
  subject_string TEXT NOT NULL DEFAULT '',
  tenant_id INTEGER REFERENCES tenants (id) ON DELETE RESTRICT,
  renews_id INTEGER REFERENCES certificates (id) ON DELETE SET NULL,
  resulting_certificate_id INTEGER REFERENCES certificates (id) ON DELETE SET NULL,
  pem_content TEXT NOT NULL DEFAULT '',
  spki_sha256 TEXT,
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL
) STRICT;
CREATE INDEX certificate_signing_requests_common_name ON certificate_signing_requests (common_name);
CREATE INDEX certificate_signing_requests_status ON certificate_signing_requests (status);
CREATE INDEX certificate_signing_requests_tenant ON certificate_signing_requests (tenant_id);
CREATE INDEX certificate_signing_requests_requested_date ON certificate_signing_requests (requested_date);
CREATE INDEX certificate_signing_requests_result ON certificate_signing_requests (resulting_certificate_id)
  WHERE resulting_certificate_id IS NOT NULL;
CREATE INDEX certificate_signing_requests_renews ON certificate_signing_requests (renews_id)
  WHERE renews_id IS NOT NULL;
CREATE INDEX certificate_signing_requests_spki ON certificate_signing_requests (spki_sha256)
  WHERE spki_sha256 IS NOT NULL; -- which request does this certificate answer?
-- Requests that may have been open for too long.
CREATE INDEX certificate_signing_requests_open ON certificate_signing_requests (created)
  WHERE status IN ('pending', 'approved');

-- Thresholds that a validity has passed: announced, or passed over for a nearer one. Those of another `valid_to` do
-- not count any more.
CREATE TABLE expiry_notices_passed (
  certificate_id INTEGER NOT NULL REFERENCES certificates (id) ON DELETE CASCADE,
  threshold TEXT NOT NULL,
  valid_to INTEGER NOT NULL,
  announced INTEGER NOT NULL CHECK (announced IN (0, 1)),
  passed_at INTEGER NOT NULL,
  PRIMARY KEY (certificate_id, threshold)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER certificates_search_update AFTER UPDATE OF common_name, issuer, sans ON certificates
WHEN NEW.common_name IS NOT OLD.common_name OR NEW.issuer IS NOT OLD.issuer OR NEW.sans IS NOT OLD.sans BEGIN
  UPDATE certificate_search SET
    common_name = NEW.common_name,
    issuer = NEW.issuer,
    sans = (SELECT group_concat(value, char(10)) FROM json_each(NEW.sans))
  WHERE rowid = NEW.id;
END;

CREATE TRIGGER certificate_blocks_insert AFTER INSERT ON certificates BEGIN
  INSERT INTO certificate_blocks (block, n) VALUES (NEW.id >> 10, 1) ON CONFLICT (block) DO UPDATE SET n = n + 1;
END;

CREATE TRIGGER certificate_blocks_delete AFTER DELETE ON certificates BEGIN
  UPDATE certificate_blocks SET n = n - 1 WHERE block = OLD.id >> 10;
  DELETE FROM certificate_blocks WHERE block = OLD.id >> 10 AND n = 0;
END;

CREATE TRIGGER certificate_findings_insert AFTER INSERT ON certificates
WHEN NEW.findings <> '[]' BEGIN
  INSERT OR IGNORE INTO certificate_findings (code, certificate_id)
    SELECT value ->> 'code', NEW.id FROM json_each(NEW.findings);
END;

CREATE TRIGGER certificate_findings_update AFTER UPDATE OF findings ON certificates
WHEN NEW.findings IS NOT OLD.findings BEGIN
  DELETE FROM certificate_findings WHERE certificate_id = NEW.id;
  INSERT OR IGNORE INTO certificate_findings (code, certificate_id)
    SELECT value ->> 'code', NEW.id FROM json_each(NEW.findings);
END;

CREATE TRIGGER certificates_archive_insert AFTER INSERT ON certificates
WHEN NEW.archived = 1 AND NEW.pinned = 0 BEGIN
  INSERT INTO archived_certificates (certificate_id) VALUES (NEW.id);
END;

CREATE TRIGGER certificates_archive_update AFTER UPDATE OF archived, pinned ON certificates
WHEN OLD.archived <> NEW.archived OR OLD.pinned <> NEW.pinned BEGIN
  DELETE FROM archived_certificates WHERE certificate_id = NEW.id;
  INSERT INTO archived_certificates (certificate_id) SELECT NEW.id WHERE NEW.archived = 1 AND NEW.pinned = 0;
END;

-- Endpoints that serve a replaced certificate are probed at once, and again at rising intervals until they do not.
-- Renewals by a certificate that nobody entered (it was found), with about a third of the lifetime left. ACME clients renew
-- then, at the next run of their timer, which may be a little later.
CREATE VIEW unattended_renewals AS
  SELECT old.id AS old_id, new.id AS new_id
  FROM certificates AS old JOIN certificates AS new ON new.id = old.replaced_by_id
  WHERE old.replacement_reason = 'renewal' AND new.discovered_via <> ''
    AND new.valid_from <= old.valid_from + 0.7 * (old.valid_to - old.valid_from);
CREATE TRIGGER certificates_renewals_watch
AFTER UPDATE OF replaced_by_id, replacement_reason, valid_from, valid_to ON certificates
WHEN (NEW.replaced_by_id, NEW.replacement_reason, NEW.valid_from, NEW.valid_to)
  IS NOT (OLD.replaced_by_id, OLD.replacement_reason, OLD.valid_from, OLD.valid_to)
BEGIN
  -- The change may be that of the first, second or third renewal before a certificate.
  UPDATE certificates SET renewed_unattended = EXISTS (
    SELECT 1 FROM unattended_renewals AS last
    JOIN unattended_renewals AS second ON second.new_id = last.old_id
    JOIN unattended_renewals AS first ON first.new_id = second.old_id
    WHERE last.new_id = certificates.id
  ) WHERE id IN (
    SELECT NEW.id
    UNION SELECT NEW.replaced_by_id
    UNION SELECT OLD.replaced_by_id
    UNION SELECT replaced_by_id FROM certificates WHERE id IN (NEW.replaced_by_id, OLD.replaced_by_id)
    UNION SELECT second.replaced_by_id FROM certificates AS first
      JOIN certificates AS second ON second.id = first.replaced_by_id
      WHERE first.id IN (NEW.replaced_by_id, OLD.replaced_by_id)
  );
END;

CREATE TRIGGER certificates_replaced_watch AFTER UPDATE OF replaced_by_id ON certificates
WHEN NEW.replaced_by_id IS NOT NULL AND NEW.replaced_by_id IS NOT OLD.replaced_by_id BEGIN
  UPDATE endpoints SET next_probe = 0, watch_step = 0, lease_owner = NULL
  WHERE certificate_id = NEW.id AND next_probe IS NOT NULL;
END;

-- Endpoints that serve a certificate are probed at once when its status changes.
-- One that was pending may be right now, and one that was revoked is not any more.
CREATE TRIGGER certificates_status_watch AFTER UPDATE OF status ON certificates
WHEN NEW.status IS NOT OLD.status BEGIN
  UPDATE endpoints SET next_probe = 0, lease_owner = NULL WHERE certificate_id = NEW.id AND next_probe IS NOT NULL;
END;

-- It may be in use again.
CREATE TRIGGER certificates_revocation_due_watch AFTER UPDATE OF status ON certificates
WHEN NEW.status IS NOT OLD.status AND NEW.revocation_due IS NULL BEGIN
  UPDATE certificates SET revocation_due = 0 WHERE id = NEW.id;
END;

-- It may be in use again, or its authority may say when it should be renewed.
CREATE TRIGGER certificates_renewal_info_due_watch AFTER UPDATE OF status, issuing_ca_id ON certificates
WHEN NEW.renewal_info_due IS NULL AND (NEW.status IS NOT OLD.status OR NEW.issuing_ca_id IS NOT OLD.issuing_ca_id) BEGIN
  UPDATE certificates SET renewal_info_due = 0 WHERE id = NEW.id;
END;
CREATE TRIGGER certificate_authorities_directory_watch AFTER UPDATE OF acme_directory_url ON certificate_authorities
WHEN NEW.acme_directory_url IS NOT OLD.acme_directory_url BEGIN
  UPDATE certificates SET renewal_info_due = 0 WHERE issuing_ca_id = NEW.id;
END;

-- Endpoints that are untrusted or whose chain is incomplete (6 and 7 in FOUND_STATES) may be fine with it.
CREATE TRIGGER certificate_authorities_trust AFTER INSERT ON certificate_authorities
WHEN NEW.pem_content <> '' BEGIN
  UPDATE endpoints SET next_probe = 0, lease_owner = NULL WHERE severity IN (6, 7) AND next_probe IS NOT NULL;
END;
CREATE TRIGGER certificate_authorities_trust_watch AFTER UPDATE OF pem_content ON certificate_authorities
WHEN NEW.pem_content IS NOT OLD.pem_content BEGIN
  UPDATE endpoints SET next_probe = 0, lease_owner = NULL WHERE severity IN (6, 7) AND next_probe IS NOT NULL;
END;

-- What was said about another certificate does not count.
CREATE TRIGGER certificates_revocation_reset AFTER UPDATE OF fingerprint_sha256 ON certificates
WHEN NEW.fingerprint_hex IS NOT OLD.fingerprint_hex BEGIN
  DELETE FROM revocation_checks WHERE certificate_id = NEW.id;
  UPDATE certificates SET revocation_status = 'not_checked', revoked_at = NULL, revocation_reason = '',
    revocation_checked_at = NULL, revocation_due = 0, revoked_from = NULL, revocation_unanswered = NULL,
    renewal_window_start = NULL, renewal_window_end = NULL, renewal_explanation_url = '', renewal_info_checked_at = NULL,
    renewal_info_due = 0 WHERE id = NEW.id;
END;

CREATE TRIGGER certificates_sans_update AFTER UPDATE OF sans ON certificates
WHEN NEW.sans IS NOT OLD.sans BEGIN
  DELETE FROM certificate_sans
    WHERE value COLLATE NOCASE IN (SELECT value FROM json_each(OLD.sans)) AND certificate_id = OLD.id;
  INSERT INTO certificate_sans (certificate_id, position, value)
    SELECT NEW.id, key, value FROM json_each(NEW.sans);
END;

-- The names have no foreign key, which would need an index by certificate.
CREATE TRIGGER certificates_delete AFTER DELETE ON certificates BEGIN
  DELETE FROM certificate_sans
    WHERE value COLLATE NOCASE IN (SELECT value FROM json_each(OLD.sans)) AND certificate_id = OLD.id;
  DELETE FROM certificate_search WHERE rowid = OLD.id;
  DELETE FROM tagged_items WHERE object_type = 'certmgr.certificate' AND object_id = OLD.id;
END;

CREATE TRIGGER compliance_checks_expiry_change AFTER UPDATE OF valid_to ON certificates
WHEN NEW.valid_to IS NOT OLD.valid_to BEGIN
  UPDATE compliance_checks SET certificate_valid_to = NEW.valid_to WHERE certificate_id = NEW.id;
END;

CREATE TRIGGER certificates_sans_insert AFTER INSERT ON certificates BEGIN
  INSERT INTO certificate_sans (certificate_id, position, value)
    SELECT NEW.id, key, value FROM json_each(NEW.sans);
END;

-- A long text ends its group, so that no insert indexes more than 32 short ones and a long one.
CREATE TRIGGER certificates_search_insert AFTER INSERT ON certificates
WHEN NEW.id >= (SELECT coalesce(max(id), 0) + 32 FROM certificate_search_docsize)
  OR (length(NEW.common_name) + length(NEW.issuer) + length(NEW.sans) > 1000
    AND NEW.id > (SELECT coalesce(max(id), 0) FROM certificate_search_docsize)) BEGIN
  INSERT INTO certificate_search (rowid, common_name, issuer, sans)
    SELECT id, common_name, issuer, (SELECT group_concat(value, char(10)) FROM json_each(sans))
    FROM unindexed_certificates;
END;

-- A certificate with a smaller id, such as one that is restored.
CREATE TRIGGER certificates_search_insert_between AFTER INSERT ON certificates
WHEN NEW.id < (SELECT max(id) FROM certificate_search_docsize) BEGIN
  INSERT INTO certificate_search (rowid, common_name, issuer, sans)
    SELECT NEW.id, NEW.common_name, NEW.issuer, (SELECT group_concat(value, char(10)) FROM json_each(NEW.sans));
END;

-- An update to a long text.
CREATE TRIGGER certificates_search_update_long AFTER UPDATE OF common_name, issuer, sans ON certificates
WHEN length(NEW.common_name) + length(NEW.issuer) + length(NEW.sans) > 1000
  AND NEW.id > (SELECT coalesce(max(id), 0) FROM certificate_search_docsize) BEGIN
  INSERT INTO certificate_search (rowid, common_name, issuer, sans)
    SELECT id, common_name, issuer, (SELECT group_concat(value, char(10)) FROM json_each(sans))
    FROM unindexed_certificates;
END;

-- A chain goes with the last certificate that has it.
CREATE TRIGGER certificate_issuer_chains_delete AFTER DELETE ON certificate_issuer_chains
WHEN NOT EXISTS (SELECT 1 FROM certificate_issuer_chains WHERE chain_id = OLD.chain_id) BEGIN
  DELETE FROM issuer_chains WHERE id = OLD.chain_id;
END;

CREATE TRIGGER certificate_issuer_chains_update AFTER UPDATE OF chain_id ON certificate_issuer_chains
WHEN NEW.chain_id <> OLD.chain_id
  AND NOT EXISTS (SELECT 1 FROM certificate_issuer_chains WHERE chain_id = OLD.chain_id) BEGIN
  DELETE FROM issuer_chains WHERE id = OLD.chain_id;
END;

-- What is really served: endpoints, what was observed at them, and scans that find new ones --------------

CREATE TABLE endpoints (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  host TEXT NOT NULL,
  port INTEGER NOT NULL DEFAULT 443 CHECK (port BETWEEN 1 AND 65535),
  server_name TEXT,
  protocol TEXT NOT NULL DEFAULT 'tls',
  description TEXT NOT NULL DEFAULT '',
  tenant_id INTEGER REFERENCES tenants (id) ON DELETE RESTRICT,
  assigned_object_type TEXT,
  assigned_object_id INTEGER,
  expected_certificate_id INTEGER REFERENCES certificates (id) ON DELETE SET NULL,
  enabled INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
  interval_minutes INTEGER NOT NULL DEFAULT 360,
  state TEXT NOT NULL DEFAULT 'pending',
  state_message TEXT NOT NULL DEFAULT '',
  state_reason TEXT NOT NULL DEFAULT '',
  -- All states that apply, worst first.
  states TEXT NOT NULL DEFAULT '[]' CHECK (json_type(states) = 'array'),
  addresses_differ INTEGER NOT NULL DEFAULT 0 CHECK (addresses_differ IN (0, 1)),
  certificate_id INTEGER REFERENCES certificates (id) ON DELETE SET NULL,
  last_probed INTEGER,
  last_changed INTEGER,
  source TEXT NOT NULL DEFAULT 'manual',
  -- When it is probed next; while it is being probed, when the lease ends. NULL: the service does not probe it.
  next_probe INTEGER,
  lease_owner TEXT,
  -- Probes since it was found to serve a replaced certificate; NULL: it serves none.
  watch_step INTEGER,
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL,
  -- The rank of the state of an endpoint, so that lists can show the worst first; 12: not probed yet.
  severity INTEGER NOT NULL DEFAULT 12,
  possession TEXT NOT NULL DEFAULT 'unproven' CHECK (possession IN ('proven', 'unproven')),
  -- The user who last changed its address, object or tenant, whose rights limit what follows from probes; NULL: the
  -- service. Not a foreign key, because a deleted user must not become the service.
  edited_by INTEGER,
  -- The states for users who may not view all certificates on which the state depends: [{ids}, {ids, state, …}, …].
  shown_states TEXT NOT NULL DEFAULT '[]' CHECK (json_type(shown_states) = 'array'),
  CHECK ((assigned_object_type IS NULL) = (assigned_object_id IS NULL))
) STRICT;
CREATE UNIQUE INDEX endpoints_address ON endpoints (host, port, protocol, ifnull(server_name, ''));
CREATE INDEX endpoints_due ON endpoints (next_probe) WHERE next_probe IS NOT NULL;
CREATE INDEX endpoints_state ON endpoints (state);
CREATE INDEX endpoints_tenant ON endpoints (tenant_id);
CREATE INDEX endpoints_certificate ON endpoints (certificate_id);
CREATE INDEX endpoints_expected ON endpoints (expected_certificate_id);
CREATE INDEX endpoints_assigned ON endpoints (assigned_object_type, assigned_object_id);
CREATE INDEX endpoints_source ON endpoints (source);
CREATE INDEX endpoints_last_probed ON endpoints (last_probed);
-- Replaced certificates that endpoints still serve: notices about them go on.
CREATE INDEX endpoints_behind ON endpoints (certificate_id) WHERE watch_step IS NOT NULL;
CREATE INDEX endpoints_severity ON endpoints (severity);
-- Endpoints that serve a certificate that is not the right one, even if another state is worse.
CREATE INDEX endpoints_wrong ON endpoints (certificate_id) WHERE instr(states, '"wrong_certificate"') > 0;

-- One row for each change of what an address presents, not one for each probe.
CREATE TABLE observations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  endpoint_id INTEGER NOT NULL REFERENCES endpoints (id) ON DELETE CASCADE,
  address TEXT NOT NULL,
  certificate_id INTEGER REFERENCES certificates (id) ON DELETE SET NULL,
  -- SHA-256 fingerprints in the order presented, lower-case digits.
  presented TEXT NOT NULL DEFAULT '[]' CHECK (json_type(presented) = 'array'),
  common_name TEXT NOT NULL DEFAULT '',
  valid_to INTEGER,
  tls_version TEXT NOT NULL DEFAULT '',
  cipher TEXT NOT NULL DEFAULT '',
  alpn TEXT NOT NULL DEFAULT '',
  ocsp_stapled INTEGER NOT NULL DEFAULT 0 CHECK (ocsp_stapled IN (0, 1)),
  latency_ms INTEGER,
  state TEXT NOT NULL,
  state_message TEXT NOT NULL DEFAULT '',
  first_seen INTEGER NOT NULL,
  last_seen INTEGER NOT NULL,
  probes INTEGER NOT NULL DEFAULT 1,
  source TEXT NOT NULL DEFAULT '',
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL,
  possession TEXT NOT NULL DEFAULT 'unproven' CHECK (possession IN ('proven', 'unproven')),
  -- JSON list of codes.
  findings TEXT NOT NULL DEFAULT '[]' CHECK (json_type(findings) = 'array'),
  shown_states TEXT NOT NULL DEFAULT '[]' CHECK (json_type(shown_states) = 'array')
) STRICT;
CREATE INDEX observations_endpoint ON observations (endpoint_id, address, id);
CREATE INDEX observations_certificate ON observations (certificate_id, first_seen, last_seen, possession);
CREATE INDEX observations_state ON observations (state);
CREATE INDEX observations_last_seen ON observations (last_seen);

CREATE TABLE scan_jobs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  networks TEXT NOT NULL CHECK (json_type(networks) = 'array'),
  ports TEXT NOT NULL CHECK (json_type(ports) = 'array'),
  rate INTEGER NOT NULL DEFAULT 50,
  interval_minutes INTEGER NOT NULL DEFAULT 1440,
  enabled INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
  tenant_id INTEGER REFERENCES tenants (id) ON DELETE RESTRICT,
  last_run INTEGER,
  last_result TEXT CHECK (json_valid(last_result)),
  next_run INTEGER,
  lease_owner TEXT,
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL
) STRICT;
CREATE INDEX scan_jobs_tenant ON scan_jobs (tenant_id);
CREATE INDEX scan_jobs_due ON scan_jobs (next_run) WHERE next_run IS NOT NULL;

-- Compliance ---------------------------------------------------------------------------------------------

CREATE TABLE compliance_policies (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  description TEXT NOT NULL DEFAULT '',
  policy_type TEXT NOT NULL,
  severity TEXT NOT NULL DEFAULT 'warning' CHECK (severity IN ('critical', 'warning', 'info')),
  enabled INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
  parameters TEXT NOT NULL DEFAULT '{}' CHECK (json_type(parameters) = 'object'),
  tenant_id INTEGER REFERENCES tenants (id) ON DELETE RESTRICT,
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL,
  kinds TEXT NOT NULL DEFAULT '["server","client","other"]' CHECK (json_type(kinds) = 'array')
) STRICT;
CREATE INDEX compliance_policies_tenant ON compliance_policies (tenant_id);
CREATE INDEX compliance_policies_enabled ON compliance_policies (enabled); -- certificates without a current result

CREATE TABLE compliance_checks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  certificate_id INTEGER NOT NULL REFERENCES certificates (id) ON DELETE CASCADE,
  policy_id INTEGER NOT NULL REFERENCES compliance_policies (id) ON DELETE CASCADE,
  result TEXT NOT NULL CHECK (result IN ('pass', 'fail')),
  severity TEXT NOT NULL CHECK (severity IN ('critical', 'warning', 'info')),
  message TEXT NOT NULL DEFAULT '',
  checked_value TEXT NOT NULL DEFAULT '',
  expected_value TEXT NOT NULL DEFAULT '',
  checked_at INTEGER NOT NULL,
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL,
  -- Lists of checks begin with the most severe failures of the certificates that expire next.
  severity_rank INTEGER
    AS (CASE severity WHEN 'critical' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END) VIRTUAL,
  -- The expiry of the certificate; after an insert, a trigger keeps it current.
  certificate_valid_to INTEGER NOT NULL,
  UNIQUE (certificate_id, policy_id)
) STRICT;
CREATE INDEX compliance_checks_policy ON compliance_checks (policy_id, result); -- totals of a policy
-- Failures in the order of their page. Each further index would cost a check, which an evaluation stores for each
-- certificate and policy, a tenth of its time; the checks that passed would be all over this one.
CREATE INDEX compliance_checks_result ON compliance_checks (result, severity_rank, certificate_valid_to)
  WHERE result = 'fail';

-- What the authorities say: the newest answer of each source about a certificate.
CREATE TABLE revocation_checks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  certificate_id INTEGER NOT NULL REFERENCES certificates (id) ON DELETE CASCADE,
  source TEXT NOT NULL CHECK (source IN ('crl', 'ocsp', 'stapled')),
  source_url TEXT NOT NULL DEFAULT '',
  status TEXT NOT NULL CHECK (status IN ('good', 'revoked', 'unknown', 'unavailable')),
  reason TEXT NOT NULL DEFAULT '',
  revoked_at INTEGER,
  this_update INTEGER,
  next_update INTEGER,
  signer TEXT NOT NULL DEFAULT '',
  response_sha256 TEXT NOT NULL DEFAULT '',
  message TEXT NOT NULL DEFAULT '',
  checked_at INTEGER NOT NULL,
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL,
  UNIQUE (certificate_id, source)
) STRICT;

CREATE TABLE revocation_lists (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  source_url TEXT NOT NULL UNIQUE,
  issuer TEXT NOT NULL DEFAULT '',
  crl_number TEXT NOT NULL DEFAULT '',
  this_update INTEGER,
  next_update INTEGER,
  entries INTEGER,
  bytes INTEGER,
  fetched_at INTEGER NOT NULL,
  -- Why the last request failed; empty if it did not.
  error TEXT NOT NULL DEFAULT '',
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL,
  etag TEXT NOT NULL DEFAULT '',
  -- Of the list that is kept; empty if none is.
  sha256 TEXT NOT NULL DEFAULT '',
  refresh_at INTEGER NOT NULL,
  -- Requests that failed since the last one that did not.
  failures INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX revocation_lists_failing ON revocation_lists (failures) WHERE failures > 0;

-- A list that is current, compressed, in parts that are written in a few milliseconds each.
CREATE TABLE revocation_list_parts (
  list_id INTEGER NOT NULL REFERENCES revocation_lists (id) ON DELETE CASCADE,
  part INTEGER NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (list_id, part)
) STRICT;

CREATE TABLE compliance_scores (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  day INTEGER NOT NULL UNIQUE,
  passed INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  score REAL NOT NULL
) STRICT;

-- How far the daily evaluation of certificates has come: one row. The first round is the next scheduled one.
CREATE TABLE evaluation_progress (
  round_began INTEGER NOT NULL,
  next_certificate INTEGER, -- null: the round is complete
  trust_digest TEXT NOT NULL DEFAULT '' -- the trust data with which it began
) STRICT;

-- A policy that a certificate fails now and did not before. Triggers, because results are replaced by an upsert. A new
-- subscription gets only later events, so without any there are none.
CREATE TRIGGER compliance_checks_failed_insert AFTER INSERT ON compliance_checks
  WHEN NEW.result = 'fail' AND EXISTS (SELECT 1 FROM subscriptions) BEGIN
  INSERT INTO notice_events (event, object_type, object_id, time)
    VALUES ('policy_failed', 'certmgr.compliancecheck', NEW.id, NEW.checked_at);
END;

CREATE TRIGGER compliance_checks_failed_update AFTER UPDATE OF result ON compliance_checks
  WHEN NEW.result = 'fail' AND OLD.result <> 'fail' AND EXISTS (SELECT 1 FROM subscriptions) BEGIN
  INSERT INTO notice_events (event, object_type, object_id, time)
    VALUES ('policy_failed', 'certmgr.compliancecheck', NEW.id, NEW.checked_at);
END;

-- Changes and webhooks -----------------------------------------------------------------------------------

-- No foreign key on user_id: the log outlives its users, and a cascade would be an update.
CREATE TABLE object_changes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  time INTEGER NOT NULL,
  user_id INTEGER,
  username TEXT NOT NULL DEFAULT '',
  request_id TEXT NOT NULL DEFAULT '',
  action TEXT NOT NULL CHECK (action IN ('create', 'update', 'delete')),
  object_type TEXT NOT NULL,
  object_id INTEGER NOT NULL,
  object_repr TEXT NOT NULL DEFAULT '',
  -- [before, after] as JSON that is compressed by zlib unless it is long.
  snapshots BLOB NOT NULL,
  -- What the caller says about a change ("changelog_message").
  message TEXT NOT NULL DEFAULT '',
  -- The object that a changed assignment of a contact is about, or the new successor of a certificate.
  related_object_type TEXT,
  related_object_id INTEGER
) STRICT;
CREATE INDEX object_changes_related ON object_changes (related_object_type, related_object_id)
  WHERE related_object_type IS NOT NULL;
CREATE INDEX object_changes_time ON object_changes (time);
CREATE INDEX object_changes_object ON object_changes (object_type, object_id); -- an object's history
CREATE INDEX object_changes_user ON object_changes (user_id);
CREATE INDEX object_changes_request ON object_changes (request_id); -- what one request did

CREATE TABLE outbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- The last change that the event tells of, and the first; NULL for an event that is no change.
  change_id INTEGER REFERENCES object_changes (id) ON DELETE CASCADE,
  first_change_id INTEGER,
  object_type TEXT NOT NULL,
  object_id INTEGER NOT NULL,
  event TEXT NOT NULL CHECK (event <> ''),
  created INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'done')),
  -- Of an event that is no change: the object as it is, and what else is to be said.
  snapshot TEXT CHECK (json_valid(snapshot)),
  details TEXT CHECK (json_valid(details)),
  CHECK ((change_id IS NULL) = (snapshot IS NOT NULL))
) STRICT;
CREATE INDEX outbox_change ON outbox (change_id);
CREATE INDEX outbox_open ON outbox (id) WHERE state = 'pending'; -- dispatching: small whatever the past
CREATE INDEX outbox_done ON outbox (created) WHERE state = 'done'; -- sweeping out the old ones

CREATE TABLE webhooks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  object_types TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(object_types)),
  events TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(events)),
  payload_url TEXT NOT NULL,
  http_method TEXT NOT NULL DEFAULT 'POST',
  enabled INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
  secret TEXT NOT NULL DEFAULT '',
  additional_headers TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(additional_headers)),
  conditions TEXT CHECK (json_valid(conditions)),
  disabled_reason TEXT NOT NULL DEFAULT '',
  failure_count INTEGER NOT NULL DEFAULT 0,
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL,
  -- When a webhook that failed many times in a row is tried next; NULL while it works.
  probe_at INTEGER,
  -- A webhook gets no events of changes that were made before it was enabled: the id of the last one.
  enabled_after INTEGER NOT NULL DEFAULT 0
) STRICT;
-- Disabled webhooks may be many; every event reads those that are enabled.
CREATE INDEX webhooks_enabled ON webhooks (enabled);

CREATE TABLE webhook_deliveries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  webhook_id INTEGER NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  outbox_id INTEGER REFERENCES outbox (id) ON DELETE SET NULL,
  event_id TEXT NOT NULL UNIQUE,
  object_type TEXT NOT NULL,
  object_id INTEGER NOT NULL,
  event TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'dead')),
  attempts INTEGER NOT NULL DEFAULT 0,
  response_status INTEGER,
  response_body TEXT NOT NULL DEFAULT '',
  duration_ms INTEGER,
  failure TEXT,
  error TEXT NOT NULL DEFAULT '',
  -- While it is being sent, when its lease ends. NULL when it waits for an earlier one of its object, or is done.
  next_attempt INTEGER,
  lease_owner TEXT,
  body TEXT NOT NULL DEFAULT '',
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL,
  CHECK (state = 'pending' OR next_attempt IS NULL)
) STRICT;
CREATE INDEX webhook_deliveries_webhook ON webhook_deliveries (webhook_id);
CREATE INDEX webhook_deliveries_outbox ON webhook_deliveries (outbox_id) WHERE outbox_id IS NOT NULL;
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, next_attempt)
  WHERE next_attempt IS NOT NULL; -- what a webhook is to be sent next
CREATE INDEX webhook_deliveries_order ON webhook_deliveries (webhook_id, object_type, object_id, id)
  WHERE state = 'pending'; -- is there an earlier one of the same object?
CREATE INDEX webhook_deliveries_state ON webhook_deliveries (state);
CREATE INDEX webhook_deliveries_created ON webhook_deliveries (created);

CREATE TRIGGER object_changes_update BEFORE UPDATE ON object_changes BEGIN
  SELECT RAISE(ABORT, 'the change log is append-only');
END;

-- Notices: channels, subscriptions, the events that they select, and the messages on their way -----------

CREATE TABLE notification_channels (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind <> ''),
  settings TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(settings)),
  secret TEXT NOT NULL DEFAULT '',
  enabled INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL
) STRICT;

CREATE TABLE subscriptions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  channel_id INTEGER REFERENCES notification_channels (id) ON DELETE CASCADE,
  recipients TEXT NOT NULL DEFAULT '[]' CHECK (json_type(recipients) = 'array'),
  events TEXT NOT NULL DEFAULT '[]' CHECK (json_type(events) = 'array'),
  filter TEXT NOT NULL DEFAULT '',
  thresholds TEXT NOT NULL DEFAULT '[]' CHECK (json_type(thresholds) = 'array'),
  mode TEXT NOT NULL DEFAULT 'daily' CHECK (mode IN ('immediate', 'daily', 'weekly')),
  at TEXT NOT NULL DEFAULT '08:00',
  time_zone TEXT NOT NULL DEFAULT 'UTC',
  enabled INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
  escalate_to_id INTEGER REFERENCES subscriptions (id) ON DELETE SET NULL,
  escalate_after_days INTEGER CHECK (escalate_after_days > 0),
  -- When it is evaluated next, and the last event that it has seen.
  next_run INTEGER NOT NULL,
  last_event_id INTEGER NOT NULL DEFAULT 0,
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL,
  UNIQUE (user_id, name)
) STRICT;
CREATE INDEX subscriptions_channel ON subscriptions (channel_id);
CREATE INDEX subscriptions_escalate_to ON subscriptions (escalate_to_id);
CREATE INDEX subscriptions_due ON subscriptions (next_run) WHERE enabled = 1;

-- Events that subscriptions may select, kept until every digest has seen them.
CREATE TABLE notice_events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  event TEXT NOT NULL CHECK (event <> ''),
  object_type TEXT NOT NULL,
  object_id INTEGER NOT NULL,
  detail TEXT NOT NULL DEFAULT '',
  time INTEGER NOT NULL
) STRICT;
CREATE INDEX notice_events_time ON notice_events (time);
CREATE INDEX notice_events_object ON notice_events (event, object_type, object_id);

-- How far the change log was read for events.
CREATE TABLE notice_progress (name TEXT NOT NULL PRIMARY KEY, last_id INTEGER NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE notification_deliveries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- NULL: e-mail of the service itself.
  channel_id INTEGER REFERENCES notification_channels (id) ON DELETE CASCADE,
  subscription_id INTEGER REFERENCES subscriptions (id) ON DELETE CASCADE,
  message_id TEXT NOT NULL UNIQUE,
  event TEXT NOT NULL,
  notices INTEGER NOT NULL DEFAULT 0,
  recipient TEXT NOT NULL DEFAULT '',
  message TEXT NOT NULL CHECK (json_valid(message)),
  state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'dead')),
  attempts INTEGER NOT NULL DEFAULT 0,
  response_status INTEGER,
  response_body TEXT NOT NULL DEFAULT '',
  duration_ms INTEGER,
  failure TEXT,
  error TEXT NOT NULL DEFAULT '',
  next_attempt INTEGER,
  lease_owner TEXT,
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL,
  CHECK ((state = 'pending') = (next_attempt IS NOT NULL))
) STRICT;
CREATE INDEX notification_deliveries_channel ON notification_deliveries (channel_id);
CREATE INDEX notification_deliveries_subscription ON notification_deliveries (subscription_id);
CREATE INDEX notification_deliveries_due ON notification_deliveries (next_attempt) WHERE next_attempt IS NOT NULL;
CREATE INDEX notification_deliveries_state ON notification_deliveries (state);
CREATE INDEX notification_deliveries_created ON notification_deliveries (created);

-- What each subscription was notified of: one row for each certificate, event and occasion (threshold and expiry).
CREATE TABLE notices (
  subscription_id INTEGER NOT NULL REFERENCES subscriptions (id) ON DELETE CASCADE,
  certificate_id INTEGER NOT NULL REFERENCES certificates (id) ON DELETE CASCADE,
  event TEXT NOT NULL,
  occasion TEXT NOT NULL,
  time INTEGER NOT NULL,
  PRIMARY KEY (subscription_id, certificate_id, event, occasion)
) STRICT, WITHOUT ROWID;
CREATE INDEX notices_certificate ON notices (certificate_id);
CREATE INDEX notices_time ON notices (time);

-- Whether somebody takes care of an expiring certificate. A response to another `valid_to` does not count any more.
CREATE TABLE notice_responses (
  certificate_id INTEGER PRIMARY KEY REFERENCES certificates (id) ON DELETE CASCADE,
  valid_to INTEGER NOT NULL,
  -- NULL: acknowledged; otherwise snoozed until this time.
  snoozed_until INTEGER,
  reason TEXT NOT NULL DEFAULT '',
  user_id INTEGER,
  username TEXT NOT NULL DEFAULT '',
  created INTEGER NOT NULL
) STRICT;

-- Links of messages that were used; each works once.
CREATE TABLE used_links (hash TEXT NOT NULL PRIMARY KEY, expires INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX used_links_expires ON used_links (expires);

-- Imports, calendars, housekeeping -----------------------------------------------------------------------

CREATE TABLE import_previews (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  key TEXT NOT NULL UNIQUE,          -- names it in addresses; no secret, for only its user is answered
  content TEXT NOT NULL,             -- the document; never one that holds a private key
  head TEXT NOT NULL,                -- JSON: how it is imported, its columns, errors and numbers of rows
  rows TEXT NOT NULL,                -- lines of JSON: [{place, status, cells, messages, certificateId}]
  edits TEXT NOT NULL DEFAULT '{}',  -- JSON: {row: {column: text}}
  created INTEGER NOT NULL,
  expires INTEGER NOT NULL,
  confirmed INTEGER                  -- when its rows became certificates; null: not yet
) STRICT;
CREATE INDEX import_previews_user ON import_previews (user_id);
CREATE INDEX import_previews_expires ON import_previews (expires);

CREATE TABLE import_mappings (
  source TEXT NOT NULL,
  object_type TEXT NOT NULL,
  source_id INTEGER NOT NULL,
  local_id INTEGER NOT NULL,
  digest TEXT NOT NULL,
  PRIMARY KEY (source, object_type, source_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE calendar_feeds (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name TEXT NOT NULL DEFAULT '',
  token_hash TEXT NOT NULL UNIQUE,
  filter TEXT NOT NULL DEFAULT '',
  created INTEGER NOT NULL,
  last_used INTEGER,
  description TEXT NOT NULL DEFAULT '',
  alarm_days INTEGER CHECK (alarm_days >= 0),
  last_updated INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX calendar_feeds_user ON calendar_feeds (user_id);

CREATE TABLE leases (
  name TEXT NOT NULL PRIMARY KEY,
  owner TEXT NOT NULL,
  until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Keys that the service has made for itself, such as that of the links in messages.
CREATE TABLE service_keys (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- Rows that point by (type, id) --------------------------------------------------------------------------

-- Tags and contacts go with the object that had them.
CREATE TRIGGER tenant_groups_delete AFTER DELETE ON tenant_groups BEGIN
  DELETE FROM tagged_items WHERE object_type = 'tenancy.tenantgroup' AND object_id = OLD.id;
END;
CREATE TRIGGER tenants_delete AFTER DELETE ON tenants BEGIN
  DELETE FROM tagged_items WHERE object_type = 'tenancy.tenant' AND object_id = OLD.id;
END;
CREATE TRIGGER tenants_contacts AFTER DELETE ON tenants BEGIN
  DELETE FROM contact_assignments WHERE object_type = 'tenancy.tenant' AND object_id = OLD.id;
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
CREATE TRIGGER devices_delete AFTER DELETE ON devices BEGIN
  DELETE FROM tagged_items WHERE object_type = 'dcim.device' AND object_id = OLD.id;
END;
CREATE TRIGGER devices_contacts AFTER DELETE ON devices BEGIN
  DELETE FROM contact_assignments WHERE object_type = 'dcim.device' AND object_id = OLD.id;
END;
CREATE TRIGGER virtual_machines_delete AFTER DELETE ON virtual_machines BEGIN
  DELETE FROM tagged_items WHERE object_type = 'virtualization.virtualmachine' AND object_id = OLD.id;
END;
CREATE TRIGGER virtual_machines_contacts AFTER DELETE ON virtual_machines BEGIN
  DELETE FROM contact_assignments WHERE object_type = 'virtualization.virtualmachine' AND object_id = OLD.id;
END;
CREATE TRIGGER services_delete AFTER DELETE ON services BEGIN
  DELETE FROM tagged_items WHERE object_type = 'ipam.service' AND object_id = OLD.id;
END;
CREATE TRIGGER services_contacts AFTER DELETE ON services BEGIN
  DELETE FROM contact_assignments WHERE object_type = 'ipam.service' AND object_id = OLD.id;
END;
CREATE TRIGGER contact_groups_delete AFTER DELETE ON contact_groups BEGIN
  DELETE FROM tagged_items WHERE object_type = 'tenancy.contactgroup' AND object_id = OLD.id;
END;
CREATE TRIGGER contact_roles_delete AFTER DELETE ON contact_roles BEGIN
  DELETE FROM tagged_items WHERE object_type = 'tenancy.contactrole' AND object_id = OLD.id;
END;
CREATE TRIGGER contacts_delete AFTER DELETE ON contacts BEGIN
  DELETE FROM tagged_items WHERE object_type = 'tenancy.contact' AND object_id = OLD.id;
END;
CREATE TRIGGER contact_assignments_delete AFTER DELETE ON contact_assignments BEGIN
  DELETE FROM tagged_items WHERE object_type = 'tenancy.contactassignment' AND object_id = OLD.id;
END;
CREATE TRIGGER certificate_authorities_delete AFTER DELETE ON certificate_authorities BEGIN
  DELETE FROM tagged_items WHERE object_type = 'certmgr.certificateauthority' AND object_id = OLD.id;
END;
CREATE TRIGGER certificate_authorities_contacts AFTER DELETE ON certificate_authorities BEGIN
  DELETE FROM contact_assignments WHERE object_type = 'certmgr.certificateauthority' AND object_id = OLD.id;
END;
CREATE TRIGGER certificates_contacts AFTER DELETE ON certificates BEGIN
  DELETE FROM contact_assignments WHERE object_type = 'certmgr.certificate' AND object_id = OLD.id;
END;
CREATE TRIGGER certificate_assignments_delete AFTER DELETE ON certificate_assignments BEGIN
  DELETE FROM tagged_items WHERE object_type = 'certmgr.certificateassignment' AND object_id = OLD.id;
END;
CREATE TRIGGER certificate_signing_requests_delete AFTER DELETE ON certificate_signing_requests BEGIN
  DELETE FROM tagged_items WHERE object_type = 'certmgr.certificatesigningrequest' AND object_id = OLD.id;
END;
CREATE TRIGGER endpoints_delete AFTER DELETE ON endpoints BEGIN
  DELETE FROM tagged_items WHERE object_type = 'certmgr.endpoint' AND object_id = OLD.id;
END;
CREATE TRIGGER compliance_policies_delete AFTER DELETE ON compliance_policies BEGIN
  DELETE FROM tagged_items WHERE object_type = 'certmgr.compliancepolicy' AND object_id = OLD.id;
END;
CREATE TRIGGER webhooks_delete AFTER DELETE ON webhooks BEGIN
  DELETE FROM tagged_items WHERE object_type = 'extras.webhook' AND object_id = OLD.id;
END;

-- What a certificate is assigned to, or a service runs on, stays while they point to it (as ON DELETE RESTRICT).
CREATE TRIGGER devices_restrict BEFORE DELETE ON devices WHEN EXISTS (
  SELECT 1 FROM certificate_assignments
  WHERE assigned_object_type = 'dcim.device' AND assigned_object_id = OLD.id
) OR EXISTS (
  SELECT 1 FROM services WHERE parent_object_type = 'dcim.device' AND parent_object_id = OLD.id
) BEGIN
  SELECT RAISE(ABORT, 'the device is in use');
END;

-- An object that an endpoint is assigned to stays while the endpoint points to it (as ON DELETE RESTRICT).
CREATE TRIGGER devices_endpoints_restrict BEFORE DELETE ON devices WHEN EXISTS (
  SELECT 1 FROM endpoints WHERE assigned_object_type = 'dcim.device' AND assigned_object_id = OLD.id
) BEGIN
  SELECT RAISE(ABORT, 'the device is in use');
END;

CREATE TRIGGER virtual_machines_restrict BEFORE DELETE ON virtual_machines WHEN EXISTS (
  SELECT 1 FROM certificate_assignments
  WHERE assigned_object_type = 'virtualization.virtualmachine' AND assigned_object_id = OLD.id
) OR EXISTS (
  SELECT 1 FROM services WHERE parent_object_type = 'virtualization.virtualmachine' AND parent_object_id = OLD.id
) BEGIN
  SELECT RAISE(ABORT, 'the virtual machine is in use');
END;

CREATE TRIGGER virtual_machines_endpoints_restrict BEFORE DELETE ON virtual_machines WHEN EXISTS (
  SELECT 1 FROM endpoints
  WHERE assigned_object_type = 'virtualization.virtualmachine' AND assigned_object_id = OLD.id
) BEGIN
  SELECT RAISE(ABORT, 'the virtual machine is in use');
END;

CREATE TRIGGER services_restrict BEFORE DELETE ON services WHEN EXISTS (
  SELECT 1 FROM certificate_assignments
  WHERE assigned_object_type = 'ipam.service' AND assigned_object_id = OLD.id
) BEGIN
  SELECT RAISE(ABORT, 'the service is in use');
END;

CREATE TRIGGER services_endpoints_restrict BEFORE DELETE ON services WHEN EXISTS (
  SELECT 1 FROM endpoints WHERE assigned_object_type = 'ipam.service' AND assigned_object_id = OLD.id
) BEGIN
  SELECT RAISE(ABORT, 'the service is in use');
END;

-- Incidents ----------------------------------------------------------------------------------------------

CREATE TABLE incidents (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  kind TEXT NOT NULL DEFAULT 'other'
    CHECK (kind IN ('ca_revocation', 'key_compromise', 'distrust', 'deadline', 'other')),
  description TEXT NOT NULL DEFAULT '',
  source_url TEXT NOT NULL DEFAULT '',
  criteria TEXT NOT NULL DEFAULT '{}' CHECK (json_type(criteria) = 'object'),
  deadline INTEGER,
  status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'closed')),
  closed_at INTEGER,
  -- Certificates with larger ids that match are not members yet; NULL: all that match are.
  joined_to INTEGER,
  -- The deadline that was announced, when owners are reminded next, and up to which certificate they were this time.
  announced_deadline INTEGER,
  remind_at INTEGER,
  reminded_to INTEGER NOT NULL DEFAULT 0,
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL
) STRICT;

CREATE INDEX incidents_status ON incidents (status);

-- The certificates of incidents, stored before a new incident. Triggers keep the states of open ones current.
CREATE TABLE incident_certificates (
  incident_id INTEGER NOT NULL REFERENCES incidents (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  certificate_id INTEGER NOT NULL REFERENCES certificates (id) ON DELETE CASCADE,
  state TEXT NOT NULL CHECK (state IN ('open', 'replaced', 'deployed', 'excluded')),
  -- Why it is excluded.
  reason TEXT NOT NULL DEFAULT '',
  joined_at INTEGER NOT NULL,
  replaced_at INTEGER,
  deployed_at INTEGER,
  PRIMARY KEY (incident_id, certificate_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX incident_certificates_certificate ON incident_certificates (certificate_id);
CREATE INDEX incident_certificates_state ON incident_certificates (incident_id, state);
CREATE INDEX incident_certificates_undated ON incident_certificates (certificate_id)
  WHERE state = 'deployed' AND deployed_at IS NULL;

-- How far the replacement of each certificate is: deployed if nothing uses it any more, but something its successor.
CREATE VIEW replacement_states AS SELECT one.id, successor.created AS replaced_at, CASE
    WHEN one.replaced_by_id IS NULL THEN 'open'
    WHEN EXISTS (SELECT 1 FROM endpoints WHERE certificate_id = one.id)
      OR EXISTS (SELECT 1 FROM certificate_assignments WHERE certificate_id = one.id) THEN 'replaced'
    WHEN EXISTS (SELECT 1 FROM endpoints WHERE certificate_id = one.replaced_by_id)
      OR EXISTS (SELECT 1 FROM certificate_assignments WHERE certificate_id = one.replaced_by_id) THEN 'deployed'
    ELSE 'replaced' END AS state
  FROM certificates AS one LEFT JOIN certificates AS successor ON successor.id = one.replaced_by_id;

CREATE TRIGGER certificates_replaced_incidents AFTER UPDATE OF replaced_by_id ON certificates
WHEN NEW.replaced_by_id IS NOT OLD.replaced_by_id BEGIN
  UPDATE incident_certificates SET
    state = iif(state = 'excluded', state, (SELECT state FROM replacement_states WHERE id = NEW.id)),
    replaced_at = iif(NEW.replaced_by_id IS NULL, NULL, NEW.last_updated)
  WHERE certificate_id = NEW.id AND incident_id IN (SELECT id FROM incidents WHERE status = 'open');
END;

-- Inserting into this view updates the states after an assignment or an endpoint left a certificate for another one. A
-- certificate that was deployed stays so if its successor is replaced in turn.
CREATE VIEW certificate_moves AS SELECT NULL AS lost, NULL AS gained;
CREATE TRIGGER certificate_moves_insert INSTEAD OF INSERT ON certificate_moves
WHEN EXISTS (SELECT 1 FROM incidents WHERE status = 'open') BEGIN
  UPDATE incident_certificates SET state = (SELECT state FROM replacement_states WHERE id = certificate_id)
  WHERE certificate_id IN (
      SELECT NEW.lost UNION SELECT NEW.gained UNION SELECT id FROM certificates WHERE replaced_by_id = NEW.gained
    ) AND state <> 'excluded' AND incident_id IN (SELECT id FROM incidents WHERE status = 'open');
END;
CREATE TRIGGER endpoints_gained AFTER INSERT ON endpoints WHEN NEW.certificate_id IS NOT NULL BEGIN
  INSERT INTO certificate_moves (lost, gained) VALUES (NULL, NEW.certificate_id);
END;
CREATE TRIGGER endpoints_moved AFTER UPDATE OF certificate_id ON endpoints
WHEN NEW.certificate_id IS NOT OLD.certificate_id BEGIN
  INSERT INTO certificate_moves (lost, gained) VALUES (OLD.certificate_id, NEW.certificate_id);
END;
CREATE TRIGGER endpoints_lost AFTER DELETE ON endpoints WHEN OLD.certificate_id IS NOT NULL BEGIN
  INSERT INTO certificate_moves (lost, gained) VALUES (OLD.certificate_id, NULL);
END;
CREATE TRIGGER certificate_assignments_gained AFTER INSERT ON certificate_assignments WHEN NEW.certificate_id IS NOT NULL BEGIN
  INSERT INTO certificate_moves (lost, gained) VALUES (NULL, NEW.certificate_id);
END;
CREATE TRIGGER certificate_assignments_moved AFTER UPDATE OF certificate_id ON certificate_assignments
WHEN NEW.certificate_id IS NOT OLD.certificate_id BEGIN
  INSERT INTO certificate_moves (lost, gained) VALUES (OLD.certificate_id, NEW.certificate_id);
END;
CREATE TRIGGER certificate_assignments_lost AFTER DELETE ON certificate_assignments WHEN OLD.certificate_id IS NOT NULL BEGIN
  INSERT INTO certificate_moves (lost, gained) VALUES (OLD.certificate_id, NULL);
END;

-- First rows -----------------------------------------------------------------------------------------------

INSERT INTO notice_progress (name, last_id) VALUES ('changes', 0), ('incidents', 0);
-- The first round of the daily evaluation is the next scheduled one.
INSERT INTO evaluation_progress (round_began, next_certificate) VALUES (CAST(unixepoch('subsec') * 1000 AS INTEGER), NULL);
-- A sequence for every table, so that ids can be set aside in one statement.
INSERT INTO sqlite_sequence (name, seq)
  SELECT name, 0 FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%';
