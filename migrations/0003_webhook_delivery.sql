-- Events that are handed to webhooks, and messages that are sent, in order and again, until they arrive.
--
-- Both tables are made anew. What happened before there were webhooks was nobody's to hear, and nothing was sent yet.

DROP TABLE webhook_deliveries;
DROP TABLE outbox;

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

-- When a webhook that failed many times in a row is tried next; NULL while it works.
ALTER TABLE webhooks ADD COLUMN probe_at INTEGER;

INSERT INTO sqlite_sequence (name, seq) VALUES ('outbox', 0), ('webhook_deliveries', 0);
