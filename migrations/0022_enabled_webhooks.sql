-- Disabled webhooks may be many; every event reads those that are enabled.
CREATE INDEX webhooks_enabled ON webhooks (enabled);
