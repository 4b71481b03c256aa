-- Templates of the bodies of messages: Mustache that renders JSON; empty: the message as it is.
ALTER TABLE webhooks ADD COLUMN body_template TEXT NOT NULL DEFAULT '';
