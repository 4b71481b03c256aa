-- Sign-in by other means than a password, and the log of sign-ins.

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

-- How a session began: the provider's issuer and its ID token, which signing out there needs.
ALTER TABLE sessions ADD COLUMN issuer TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN id_token TEXT NOT NULL DEFAULT '';
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

INSERT INTO sqlite_sequence (name, seq) VALUES ('audit_events', 0);
