-- How far the daily evaluation of certificates has come: one row. The first round is the next scheduled one.
CREATE TABLE evaluation_progress (
  round_began INTEGER NOT NULL,
  next_certificate INTEGER -- null: the round is complete
) STRICT;
INSERT INTO evaluation_progress (round_began, next_certificate) VALUES (CAST(unixepoch('subsec') * 1000 AS INTEGER), NULL);
