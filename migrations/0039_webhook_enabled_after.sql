-- A webhook gets no events of changes that were made before it was enabled: the id of the last one.
ALTER TABLE webhooks ADD COLUMN enabled_after INTEGER NOT NULL DEFAULT 0;
