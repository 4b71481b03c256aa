-- What is really served: endpoints, what was observed at them, and scans that find new ones.

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
  last_updated INTEGER NOT NULL
) STRICT;
CREATE INDEX observations_endpoint ON observations (endpoint_id, address, id);
CREATE INDEX observations_certificate ON observations (certificate_id, first_seen, last_seen);
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

INSERT INTO sqlite_sequence (name, seq) VALUES ('endpoints', 0), ('observations', 0), ('scan_jobs', 0);

-- Where a certificate was found that nobody entered (`endpoint www.example.com:443`, `agent dmz: /etc/ssl/a.pem`).
ALTER TABLE certificates ADD COLUMN discovered_via TEXT NOT NULL DEFAULT '';
CREATE INDEX certificates_discovered_via ON certificates (discovered_via) WHERE discovered_via <> '';

CREATE TRIGGER endpoints_delete AFTER DELETE ON endpoints BEGIN
  DELETE FROM tagged_items WHERE object_type = 'certmgr.endpoint' AND object_id = OLD.id;
END;

-- An object that an endpoint is assigned to stays while the endpoint points to it (as ON DELETE RESTRICT).
CREATE TRIGGER devices_endpoints_restrict BEFORE DELETE ON devices WHEN EXISTS (
  SELECT 1 FROM endpoints WHERE assigned_object_type = 'dcim.device' AND assigned_object_id = OLD.id
) BEGIN
  SELECT RAISE(ABORT, 'the device is in use');
END;
CREATE TRIGGER virtual_machines_endpoints_restrict BEFORE DELETE ON virtual_machines WHEN EXISTS (
  SELECT 1 FROM endpoints
  WHERE assigned_object_type = 'virtualization.virtualmachine' AND assigned_object_id = OLD.id
) BEGIN
  SELECT RAISE(ABORT, 'the virtual machine is in use');
END;
CREATE TRIGGER services_endpoints_restrict BEFORE DELETE ON services WHEN EXISTS (
  SELECT 1 FROM endpoints WHERE assigned_object_type = 'ipam.service' AND assigned_object_id = OLD.id
) BEGIN
  SELECT RAISE(ABORT, 'the service is in use');
END;
