-- The first shape of the whole database.
--
-- A statement ends with a semicolon at the end of a line; a trigger ends with a line that says END;
-- Ids are never used twice (AUTOINCREMENT). Moments are milliseconds since the epoch, booleans 0 and 1,
-- lists and objects JSON text. Every index ends with the rowid, so that ORDER BY <column>, id needs no sort.

-- Accounts ------------------------------------------------------------------------------------------------

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
  last_updated INTEGER NOT NULL
) STRICT;

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
  user_agent TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expires ON sessions (expires); -- sweeping out the old ones

-- What certificates refer to ------------------------------------------------------------------------------

CREATE TABLE tenants (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  slug TEXT NOT NULL UNIQUE,
  description TEXT NOT NULL DEFAULT '',
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL
) STRICT;

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

CREATE TABLE devices (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  tenant_id INTEGER REFERENCES tenants (id) ON DELETE RESTRICT,
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX devices_name ON devices (name, ifnull(tenant_id, 0)); -- no tenant is one place, too
CREATE INDEX devices_tenant ON devices (tenant_id);

CREATE TABLE virtual_machines (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  tenant_id INTEGER REFERENCES tenants (id) ON DELETE RESTRICT,
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX virtual_machines_name ON virtual_machines (name, ifnull(tenant_id, 0));
CREATE INDEX virtual_machines_tenant ON virtual_machines (tenant_id);

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
  CHECK ((parent_object_type IS NULL) = (parent_object_id IS NULL))
) STRICT;
CREATE INDEX services_name ON services (name);
CREATE INDEX services_parent ON services (parent_object_type, parent_object_id);
CREATE INDEX services_tenant ON services (tenant_id);

-- Certificates --------------------------------------------------------------------------------------------

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
  last_updated INTEGER NOT NULL
) STRICT;
CREATE INDEX certificate_authorities_subject_key ON certificate_authorities (subject_key_id)
  WHERE subject_key_id IS NOT NULL; -- who issued this?

-- Columns that lists filter by come first; sans, which may be long, comes last and so never pushes them to
-- overflow pages.
CREATE TABLE certificates (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  common_name TEXT NOT NULL,
  serial_number TEXT NOT NULL,
  serial_hex TEXT NOT NULL,
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL DEFAULT '',
  valid_from INTEGER NOT NULL,
  valid_to INTEGER NOT NULL,
  fingerprint_sha256 TEXT NOT NULL,
  fingerprint_hex TEXT NOT NULL,
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
  ))
) STRICT;
CREATE UNIQUE INDEX certificates_serial_issuer ON certificates (serial_hex, issuer); -- what makes a duplicate
CREATE INDEX certificates_id ON certificates (id); -- counting all, and deep pages: 10 MB instead of 600 a million
CREATE INDEX certificates_fingerprint ON certificates (fingerprint_hex);
CREATE INDEX certificates_common_name ON certificates (common_name); -- ordering, exact match, startswith
CREATE INDEX certificates_common_name_nocase ON certificates (common_name COLLATE NOCASE); -- iexact, istartswith
CREATE INDEX certificates_issuer ON certificates (issuer); -- ordering, the distinct issuers
CREATE INDEX certificates_issuer_nocase ON certificates (issuer COLLATE NOCASE); -- iexact, istartswith
CREATE INDEX certificates_valid_from ON certificates (valid_from);
CREATE INDEX certificates_valid_to ON certificates (valid_to);
CREATE INDEX certificates_status ON certificates (status); -- a status in id order
CREATE INDEX certificates_status_common_name ON certificates (status, common_name);
-- What expires next, the expiry sweep; and counts of a status with any other short column, from this index alone.
CREATE INDEX certificates_status_valid_to ON certificates (
  status, valid_to, tenant_id, issuing_ca_id, algorithm, key_size, is_acme, acme_provider, acme_auto_renewal,
  chain_status, pem_matches, valid_from, created, last_updated
);
CREATE INDEX certificates_tenant ON certificates (tenant_id); -- a tenant in id order; restricted lists
CREATE INDEX certificates_tenant_status ON certificates (tenant_id, status); -- both, in id order
CREATE INDEX certificates_tenant_valid_to ON certificates (tenant_id, valid_to);
CREATE INDEX certificates_tenant_common_name ON certificates (tenant_id, common_name);
CREATE INDEX certificates_issuing_ca ON certificates (issuing_ca_id); -- also has_issuing_ca, certificate_count
CREATE INDEX certificates_algorithm ON certificates (algorithm);
CREATE INDEX certificates_key_size ON certificates (key_size);
CREATE INDEX certificates_is_acme ON certificates (is_acme);
CREATE INDEX certificates_acme_provider ON certificates (acme_provider);
CREATE INDEX certificates_acme_auto_renewal ON certificates (acme_auto_renewal);
CREATE INDEX certificates_chain_status ON certificates (chain_status);
CREATE INDEX certificates_pem_matches ON certificates (pem_matches);
CREATE INDEX certificates_created ON certificates (created);
CREATE INDEX certificates_last_updated ON certificates (last_updated);
CREATE INDEX certificates_replaced_by ON certificates (replaced_by_id) WHERE replaced_by_id IS NOT NULL;
CREATE INDEX certificates_spki ON certificates (spki_sha256) WHERE spki_sha256 IS NOT NULL; -- CSR of the same key
CREATE INDEX certificates_authority_key ON certificates (authority_key_id)
  WHERE authority_key_id IS NOT NULL; -- certificates of a CA that is tracked later

CREATE TABLE certificate_texts (
  certificate_id INTEGER PRIMARY KEY REFERENCES certificates (id) ON DELETE CASCADE,
  pem_content TEXT NOT NULL DEFAULT '',
  issuer_chain TEXT NOT NULL DEFAULT ''
) STRICT;

CREATE TABLE certificate_sans (
  certificate_id INTEGER NOT NULL REFERENCES certificates (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (certificate_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX certificate_sans_value ON certificate_sans (value COLLATE NOCASE); -- san=, in either case

-- Contains-search over names. Trigram postings only (contentless), rowid = certificates.id; sans are the values
-- joined by newlines. One row a certificate, written once when the certificate is: the JSON list in
-- certificates.sans is the truth, and the triggers below derive certificate_sans and this index from it, so that
-- a certificate of 2,000 names costs one posting list, not 2,000 rewrites of it, and no code can forget it.
-- detail=full is the least that answers phrases, and a contains-search is a phrase of trigrams.
CREATE VIRTUAL TABLE certificate_search USING fts5(
  common_name, issuer, sans,
  content = '', contentless_delete = 1, tokenize = 'trigram', detail = full
);

CREATE TRIGGER certificates_search_insert AFTER INSERT ON certificates BEGIN
  INSERT INTO certificate_sans (certificate_id, position, value)
    SELECT NEW.id, key, value FROM json_each(NEW.sans);
  INSERT INTO certificate_search (rowid, common_name, issuer, sans)
    SELECT NEW.id, NEW.common_name, NEW.issuer,
      (SELECT group_concat(value, char(10)) FROM json_each(NEW.sans));
END;

CREATE TRIGGER certificates_sans_update AFTER UPDATE OF sans ON certificates
WHEN NEW.sans IS NOT OLD.sans BEGIN
  DELETE FROM certificate_sans WHERE certificate_id = NEW.id;
  INSERT INTO certificate_sans (certificate_id, position, value)
    SELECT NEW.id, key, value FROM json_each(NEW.sans);
END;

CREATE TRIGGER certificates_search_update AFTER UPDATE OF common_name, issuer, sans ON certificates
WHEN NEW.common_name IS NOT OLD.common_name OR NEW.issuer IS NOT OLD.issuer OR NEW.sans IS NOT OLD.sans BEGIN
  UPDATE certificate_search SET
    common_name = NEW.common_name,
    issuer = NEW.issuer,
    sans = (SELECT group_concat(value, char(10)) FROM json_each(NEW.sans))
  WHERE rowid = NEW.id;
END;

CREATE TRIGGER certificates_delete AFTER DELETE ON certificates BEGIN
  DELETE FROM certificate_search WHERE rowid = OLD.id;
  DELETE FROM tagged_items WHERE object_type = 'certmgr.certificate' AND object_id = OLD.id;
END;

CREATE TABLE certificate_assignments (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  certificate_id INTEGER NOT NULL REFERENCES certificates (id) ON DELETE CASCADE,
  assigned_object_type TEXT NOT NULL,
  assigned_object_id INTEGER NOT NULL,
  is_primary INTEGER NOT NULL DEFAULT 0 CHECK (is_primary IN (0, 1)),
  notes TEXT NOT NULL DEFAULT '',
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL,
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
CREATE INDEX certificate_signing_requests_spki ON certificate_signing_requests (spki_sha256)
  WHERE spki_sha256 IS NOT NULL; -- which request does this certificate answer?

CREATE TABLE expiry_notices (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  certificate_id INTEGER NOT NULL REFERENCES certificates (id) ON DELETE CASCADE,
  threshold INTEGER NOT NULL,
  sent_at INTEGER NOT NULL,
  UNIQUE (certificate_id, threshold)
) STRICT;

-- Compliance ----------------------------------------------------------------------------------------------

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
  last_updated INTEGER NOT NULL
) STRICT;
CREATE INDEX compliance_policies_tenant ON compliance_policies (tenant_id);

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
  UNIQUE (certificate_id, policy_id)
) STRICT;
CREATE INDEX compliance_checks_policy ON compliance_checks (policy_id, result); -- totals of a policy
CREATE INDEX compliance_checks_result ON compliance_checks (result, severity); -- failures by severity
CREATE INDEX compliance_checks_severity ON compliance_checks (severity);
CREATE INDEX compliance_checks_checked_at ON compliance_checks (checked_at);

CREATE TABLE compliance_scores (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  day INTEGER NOT NULL UNIQUE,
  passed INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  score REAL NOT NULL
) STRICT;

-- Events --------------------------------------------------------------------------------------------------

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
  prechange TEXT CHECK (json_valid(prechange)),
  postchange TEXT CHECK (json_valid(postchange))
) STRICT;
CREATE INDEX object_changes_time ON object_changes (time);
CREATE INDEX object_changes_object ON object_changes (object_type, object_id); -- an object's history
CREATE INDEX object_changes_user ON object_changes (user_id);
CREATE INDEX object_changes_request ON object_changes (request_id); -- what one request did

CREATE TRIGGER object_changes_update BEFORE UPDATE ON object_changes BEGIN
  SELECT RAISE(ABORT, 'the change log is append-only');
END;

CREATE TABLE outbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  change_id INTEGER NOT NULL REFERENCES object_changes (id) ON DELETE CASCADE,
  object_type TEXT NOT NULL,
  object_id INTEGER NOT NULL,
  event TEXT NOT NULL CHECK (event IN ('created', 'updated', 'deleted')),
  created INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'leased', 'done')),
  lease_owner TEXT,
  lease_until INTEGER
) STRICT;
CREATE INDEX outbox_change ON outbox (change_id);
CREATE INDEX outbox_open ON outbox (state, lease_until) WHERE state <> 'done'; -- claiming: small whatever the past
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
  last_updated INTEGER NOT NULL
) STRICT;

CREATE TABLE webhook_deliveries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  webhook_id INTEGER NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  outbox_id INTEGER REFERENCES outbox (id) ON DELETE SET NULL,
  event_id TEXT NOT NULL UNIQUE,
  object_type TEXT NOT NULL,
  object_id INTEGER NOT NULL,
  event TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'pending',
  attempts INTEGER NOT NULL DEFAULT 0,
  response_status INTEGER,
  duration_ms INTEGER,
  error TEXT NOT NULL DEFAULT '',
  next_attempt INTEGER,
  body TEXT NOT NULL DEFAULT '',
  created INTEGER NOT NULL,
  last_updated INTEGER NOT NULL
) STRICT;
CREATE INDEX webhook_deliveries_webhook ON webhook_deliveries (webhook_id);
CREATE INDEX webhook_deliveries_outbox ON webhook_deliveries (outbox_id) WHERE outbox_id IS NOT NULL;
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_attempt) WHERE next_attempt IS NOT NULL;
CREATE INDEX webhook_deliveries_state ON webhook_deliveries (state);
CREATE INDEX webhook_deliveries_created ON webhook_deliveries (created);

-- Housekeeping --------------------------------------------------------------------------------------------

CREATE TABLE leases (
  name TEXT NOT NULL PRIMARY KEY,
  owner TEXT NOT NULL,
  until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE import_previews (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  format TEXT NOT NULL,
  content TEXT NOT NULL,
  created INTEGER NOT NULL,
  expires INTEGER NOT NULL
) STRICT;
CREATE INDEX import_previews_user ON import_previews (user_id);
CREATE INDEX import_previews_expires ON import_previews (expires);

CREATE TABLE calendar_feeds (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name TEXT NOT NULL DEFAULT '',
  token_hash TEXT NOT NULL UNIQUE,
  filter TEXT NOT NULL DEFAULT '',
  created INTEGER NOT NULL,
  last_used INTEGER
) STRICT;
CREATE INDEX calendar_feeds_user ON calendar_feeds (user_id);

-- Rows that point by (type, id) ---------------------------------------------------------------------------

-- Tags go with the object that carried them.
CREATE TRIGGER certificate_authorities_delete AFTER DELETE ON certificate_authorities BEGIN
  DELETE FROM tagged_items WHERE object_type = 'certmgr.certificateauthority' AND object_id = OLD.id;
END;

CREATE TRIGGER certificate_assignments_delete AFTER DELETE ON certificate_assignments BEGIN
  DELETE FROM tagged_items WHERE object_type = 'certmgr.certificateassignment' AND object_id = OLD.id;
END;

CREATE TRIGGER certificate_signing_requests_delete AFTER DELETE ON certificate_signing_requests BEGIN
  DELETE FROM tagged_items WHERE object_type = 'certmgr.certificatesigningrequest' AND object_id = OLD.id;
END;

CREATE TRIGGER compliance_policies_delete AFTER DELETE ON compliance_policies BEGIN
  DELETE FROM tagged_items WHERE object_type = 'certmgr.compliancepolicy' AND object_id = OLD.id;
END;

CREATE TRIGGER tenants_delete AFTER DELETE ON tenants BEGIN
  DELETE FROM tagged_items WHERE object_type = 'tenancy.tenant' AND object_id = OLD.id;
END;

CREATE TRIGGER devices_delete AFTER DELETE ON devices BEGIN
  DELETE FROM tagged_items WHERE object_type = 'dcim.device' AND object_id = OLD.id;
END;

CREATE TRIGGER virtual_machines_delete AFTER DELETE ON virtual_machines BEGIN
  DELETE FROM tagged_items WHERE object_type = 'virtualization.virtualmachine' AND object_id = OLD.id;
END;

CREATE TRIGGER services_delete AFTER DELETE ON services BEGIN
  DELETE FROM tagged_items WHERE object_type = 'ipam.service' AND object_id = OLD.id;
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

CREATE TRIGGER virtual_machines_restrict BEFORE DELETE ON virtual_machines WHEN EXISTS (
  SELECT 1 FROM certificate_assignments
  WHERE assigned_object_type = 'virtualization.virtualmachine' AND assigned_object_id = OLD.id
) OR EXISTS (
  SELECT 1 FROM services WHERE parent_object_type = 'virtualization.virtualmachine' AND parent_object_id = OLD.id
) BEGIN
  SELECT RAISE(ABORT, 'the virtual machine is in use');
END;

CREATE TRIGGER services_restrict BEFORE DELETE ON services WHEN EXISTS (
  SELECT 1 FROM certificate_assignments
  WHERE assigned_object_type = 'ipam.service' AND assigned_object_id = OLD.id
) BEGIN
  SELECT RAISE(ABORT, 'the service is in use');
END;

-- A sequence for every table from the start, so that ids can be set aside in one statement.
INSERT INTO sqlite_sequence (name, seq)
  SELECT name, 0 FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%';
