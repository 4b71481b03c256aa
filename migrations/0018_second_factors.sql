-- Second factors of local accounts: passkeys, authenticator apps, recovery codes.

-- Kept by the changes of passkeys and apps, so that sign-in and lists need no other table.
ALTER TABLE users ADD COLUMN has_second_factor INTEGER NOT NULL DEFAULT 0 CHECK (has_second_factor IN (0, 1));
CREATE INDEX users_has_second_factor ON users (has_second_factor, username, id);

-- Whether a session began here. Others need no second factor: the provider or proxy decides.
ALTER TABLE sessions ADD COLUMN is_local INTEGER NOT NULL DEFAULT 1 CHECK (is_local IN (0, 1));
UPDATE sessions SET is_local = 0 WHERE issuer <> '';

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

INSERT INTO sqlite_sequence (name, seq) VALUES ('passkeys', 0);
