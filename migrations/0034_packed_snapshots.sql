-- Snapshots of change records are compressed, which makes them a third as large.
-- Records from before stay as they are.

-- Hash of the names of the fields (see snapshot_shapes), and the packed snapshots; NULL if they are texts.
ALTER TABLE object_changes ADD COLUMN shape INTEGER;
ALTER TABLE object_changes ADD COLUMN snapshots BLOB;

-- A snapshot is a JSON object, or (`b` before, `a` after the change) a mark, the packed snapshots in hexadecimal
-- digits, and the names of the fields.
DROP VIEW change_snapshots;
CREATE VIEW change_snapshots AS SELECT
  id, time, user_id, username, request_id, action, object_type, object_id, object_repr, message,
  CASE WHEN snapshots IS NOT NULL THEN (
    SELECT 'b' || hex(snapshots) || names FROM snapshot_shapes
    WHERE snapshot_shapes.shape = object_changes.shape AND action <> 'create'
  ) WHEN substr(prechange, 1, 1) = '[' THEN (
    SELECT json_group_object(element.value, json(prechange -> (element.key + 1)))
    FROM snapshot_shapes, json_each(names) AS element WHERE snapshot_shapes.shape = prechange ->> 0
  ) ELSE prechange END AS prechange,
  CASE WHEN snapshots IS NOT NULL THEN (
    SELECT 'a' || hex(snapshots) || names FROM snapshot_shapes
    WHERE snapshot_shapes.shape = object_changes.shape AND action <> 'delete'
  ) WHEN substr(postchange, 1, 1) = '[' THEN (
    SELECT json_group_object(element.value, json(postchange -> (element.key + 1)))
    FROM snapshot_shapes, json_each(names) AS element WHERE snapshot_shapes.shape = postchange ->> 0
  ) WHEN substr(postchange, 1, 3) = '{"#' THEN (
    SELECT json_group_object(element.value,
      json(coalesce(postchange -> ('#' || element.key), prechange -> (element.key + 1))))
    FROM snapshot_shapes, json_each(names) AS element WHERE snapshot_shapes.shape = prechange ->> 0
  ) ELSE postchange END AS postchange
FROM object_changes;
