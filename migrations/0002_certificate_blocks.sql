-- How many certificates there are in each run of 1,024 ids: deep pages and whole counts without walking all rows.

CREATE TABLE certificate_blocks (
  block INTEGER PRIMARY KEY, -- id >> 10
  n INTEGER NOT NULL
) STRICT;

INSERT INTO certificate_blocks (block, n) SELECT id >> 10, count(*) FROM certificates GROUP BY 1;

CREATE TRIGGER certificate_blocks_insert AFTER INSERT ON certificates BEGIN
  INSERT INTO certificate_blocks (block, n) VALUES (NEW.id >> 10, 1) ON CONFLICT (block) DO UPDATE SET n = n + 1;
END;

CREATE TRIGGER certificate_blocks_delete AFTER DELETE ON certificates BEGIN
  UPDATE certificate_blocks SET n = n - 1 WHERE block = OLD.id >> 10;
  DELETE FROM certificate_blocks WHERE block = OLD.id >> 10 AND n = 0;
END;
