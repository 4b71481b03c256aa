-- Notifications: channels, subscriptions, the events that they select, and the messages on their way.

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

-- A policy that a certificate fails now and did not before. Triggers, because results are replaced by an upsert.
CREATE TRIGGER compliance_checks_failed_insert AFTER INSERT ON compliance_checks WHEN NEW.result = 'fail' BEGIN
  INSERT INTO notice_events (event, object_type, object_id, time)
    VALUES ('policy_failed', 'certmgr.compliancecheck', NEW.id, NEW.checked_at);
END;
CREATE TRIGGER compliance_checks_failed_update AFTER UPDATE OF result ON compliance_checks
  WHEN NEW.result = 'fail' AND OLD.result <> 'fail' BEGIN
  INSERT INTO notice_events (event, object_type, object_id, time)
    VALUES ('policy_failed', 'certmgr.compliancecheck', NEW.id, NEW.checked_at);
END;

-- How far the change log was read for events.
CREATE TABLE notice_progress (name TEXT NOT NULL PRIMARY KEY, last_id INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO notice_progress (name, last_id) SELECT 'changes', coalesce(max(id), 0) FROM object_changes;

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

-- Requests that may have been open for too long.
CREATE INDEX certificate_signing_requests_open ON certificate_signing_requests (created)
  WHERE status IN ('pending', 'approved');

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

-- Keys that the service has made for itself, such as that of the links in messages.
CREATE TABLE service_keys (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- Links of messages that were used; each works once.
CREATE TABLE used_links (hash TEXT NOT NULL PRIMARY KEY, expires INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX used_links_expires ON used_links (expires);

-- Consecutive failures of scheduled jobs.
CREATE TABLE job_failures (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  failures INTEGER NOT NULL,
  since INTEGER NOT NULL,
  error TEXT NOT NULL DEFAULT ''
) STRICT;

INSERT INTO sqlite_sequence (name, seq)
  VALUES ('notification_channels', 0), ('subscriptions', 0), ('notification_deliveries', 0);
