-- The score of each policy by day, and since when each check fails: trends of policies, and the failures behind them.
CREATE TABLE compliance_policy_scores (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  policy_id INTEGER NOT NULL REFERENCES compliance_policies (id) ON DELETE CASCADE,
  day INTEGER NOT NULL,
  passed INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  UNIQUE (policy_id, day)
) STRICT;
CREATE INDEX compliance_policy_scores_day ON compliance_policy_scores (day); -- deletes old ones

CREATE TABLE compliance_failures (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  check_id INTEGER NOT NULL REFERENCES compliance_checks (id) ON DELETE CASCADE,
  since INTEGER NOT NULL,
  until INTEGER
) STRICT;
CREATE INDEX compliance_failures_check ON compliance_failures (check_id, until);
CREATE INDEX compliance_failures_until ON compliance_failures (until, since, check_id); -- failures at a time
INSERT INTO compliance_failures (check_id, since) SELECT id, checked_at FROM compliance_checks WHERE result = 'fail';

CREATE TRIGGER compliance_checks_insert AFTER INSERT ON compliance_checks WHEN NEW.result = 'fail' BEGIN
  INSERT INTO compliance_failures (check_id, since) VALUES (NEW.id, NEW.checked_at);
END;
CREATE TRIGGER compliance_checks_result AFTER UPDATE OF result ON compliance_checks
WHEN NEW.result IS NOT OLD.result BEGIN
  UPDATE compliance_failures SET until = NEW.checked_at WHERE check_id = NEW.id AND until IS NULL;
  INSERT INTO compliance_failures (check_id, since) SELECT NEW.id, NEW.checked_at WHERE NEW.result = 'fail';
END;
